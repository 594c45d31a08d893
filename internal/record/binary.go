package record

// Binary is what is known of the program of a variant, most of it from its ELF
// headers. A string is "" where the file does not tell.
type Binary struct {
	Path     string `json:"path"`
	SHA256   string `json:"sha256"`
	Bytes    int64  `json:"bytes,omitempty"`
	Libc     string `json:"libc,omitempty"`     // such as "glibc 2.28", "musl 1.2.6"
	Newest   string `json:"newest,omitempty"`   // newest versioned symbol, such as GLIBC_2.28
	Linkage  string `json:"linkage,omitempty"`  // static, static-pie, pie or dynamic
	BuildID  string `json:"build_id,omitempty"` // in hexadecimal
	Compiler string `json:"compiler,omitempty"` // the .comment section
}
