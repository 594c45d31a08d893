package arch

import (
	"go/ast"
	"path"
	"slices"
	"strings"
)

// confinement says which packages, of Go, of others or of our own, a room does
// without.
type confinement struct {
	room string
	ban  []string // import paths; each with all below it
	why  string
}

// ioPackages are those with which a package could do I/O.
var ioPackages = []string{"net", "os", "golang.org/x/sys", modulePath + "/loadgen/internal/netloop"}

var confinements = []confinement{
	{"loadgen/internal/exchange", ioPackages, "it is data"},
	{"loadgen/internal/request", ioPackages, "it is data"},
	{"loadgen/internal/h1", ioPackages, "a codec does no I/O: bytes in, bytes out"},
	{"loadgen/internal/h2", ioPackages, "a codec does no I/O: bytes in, bytes out"},
	{"loadgen/internal/h3", append([]string{"github.com/quic-go/quic-go"}, ioPackages...), "a codec does no I/O: bytes in, bytes out"},
	{"internal/stat", ioPackages, "it is arithmetic"},
	{"ab", append([]string{"syscall"}, ioPackages...), "it judges what others have measured"},
	{"loadgen/internal/schedule", ioPackages, "it is arithmetic"},
	{"gate", []string{"net", "os/exec", "golang.org/x/sys", "syscall"}, "gate is pure: no process, no network"},
}

const http2Path = "golang.org/x/net/http2"

// http2Deprecated are the names of golang.org/x/net/http2 that belong to its
// client and its server, which net/http has taken over. The package's frames and
// header compression are welcome.
var http2Deprecated = []string{
	"Transport", "ClientConn", "ClientConnPool", "ConfigureTransport", "ConfigureTransports",
	"Server", "ServeConnOpts", "ConfigureServer",
}

// outsideWorld holds what packages may use of Go itself and of others. Tests
// may use everything except what is deprecated.
func outsideWorld(files []File) (faults []string) {
	for _, f := range files {
		for _, spec := range f.Syntax.Imports {
			p := importPath(spec)
			if p == http2Path {
				faults = append(faults, http2Uses(f, spec)...)
			}
			if under(p, http2Path+"/h2c") {
				faults = append(faults, f.faultf(spec, "%s is deprecated: net/http speaks cleartext HTTP/2 itself", p))
			}
			for _, c := range confinements {
				banned := func(b string) bool { return under(p, b) }
				if under(f.Dir(), c.room) && !f.IsTest() && slices.ContainsFunc(c.ban, banned) {
					faults = append(faults, f.faultf(spec, "%s imports %s: %s", c.room, p, c.why))
				}
			}
		}
	}
	return faults
}

// http2Uses finds the deprecated names that a file takes from x/net/http2.
func http2Uses(f File, spec *ast.ImportSpec) (faults []string) {
	local := path.Base(http2Path)
	if spec.Name != nil {
		local = spec.Name.Name
	}
	if local == "." {
		return []string{f.faultf(spec, "%s is imported with a dot: what is used of it cannot be seen", http2Path)}
	}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		of, ok := selector.X.(*ast.Ident)
		if ok && of.Name == local && slices.Contains(http2Deprecated, selector.Sel.Name) {
			name := strings.Join([]string{local, selector.Sel.Name}, ".")
			faults = append(faults, f.faultf(n, "%s is deprecated: use net/http", name))
		}
		return true
	})
	return faults
}
