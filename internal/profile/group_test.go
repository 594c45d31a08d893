package profile

import (
	"strings"
	"testing"
)

// kernel and user are frames of names, the leaf first; of user, with their file before a colon.
func kernel(names ...string) (stack []Frame) {
	for _, name := range names {
		stack = append(stack, Frame{Symbol: name, Module: "[kernel.kallsyms]", Kernel: true})
	}
	return stack
}

func user(names ...string) (stack []Frame) {
	for _, name := range names {
		module, symbol, _ := strings.Cut(name, ":")
		stack = append(stack, Frame{Symbol: symbol, Module: module})
	}
	return stack
}

// The nearest function with a purpose decides: of everybody's helpers who called them, and of
// the kernel's time never who called the kernel.
func TestGroupOf(t *testing.T) {
	groups, err := Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	syscall := kernel("do_syscall_64", "entry_SYSCALL_64_after_hwframe")
	writev := user("/usr/lib/x86_64-linux-gnu/libc.so.6:__GI___writev", "/usr/lib/x86_64-linux-gnu/libssl.so.3:SSL_write", "/usr/sbin/nginx:ngx_writev")
	tests := []struct {
		name  string
		stack []Frame
		want  string
	}{
		{"seccomp, by its leaf", append(kernel("__seccomp_filter", "__secure_computing", "syscall_trace_enter"), syscall...), "seccomp"},
		{"a filter's program, by who runs it", append(kernel("bpf_prog_4a1", "seccomp_run_filters", "__seccomp_filter"), syscall...), "seccomp"},
		{"a lock on Landlock's walk", append(kernel("lockref_get_not_zero", "is_access_to_paths_allowed", "hook_file_open", "security_file_open", "do_dentry_open", "do_filp_open"), syscall...), "landlock"},
		{"opening beside it", append(kernel("link_path_walk.part.0", "path_openat", "do_filp_open", "do_sys_openat2"), syscall...), "files"},
		{"another security module", append(kernel("security_file_open", "do_dentry_open"), syscall...), "lsm, other"},
		{"a copy for the network", append(append(kernel("_copy_from_iter", "tcp_sendmsg_locked", "tcp_sendmsg"), syscall...), writev...), "copy"},
		{"a lock of the network", append(append(kernel("_raw_spin_lock", "tcp_v4_rcv", "process_backlog"), syscall...), writev...), "network"},
		{"the network is not TLS's", append(append(kernel("tcp_ack", "tcp_v4_do_rcv"), syscall...), writev...), "network"},
		{"memory for it", append(kernel("kmem_cache_alloc_node_noprof", "__alloc_skb", "tcp_stream_alloc_skb"), syscall...), "alloc"},
		{"going to sleep", append(kernel("pick_next_task_fair", "__schedule", "schedule", "ep_poll", "do_epoll_wait"), syscall...), "scheduler"},
		{"asking what is ready", append(kernel("ep_send_events", "do_epoll_wait"), syscall...), "events"},
		{"entering", syscall, "syscall"},
		{"what entering leads to is not entering", append(kernel("something_new"), syscall...), KernelOther},
		{"a fault in malloc", append(kernel("clear_page_erms", "get_page_from_freelist", "handle_mm_fault", "asm_exc_page_fault"), user("/usr/sbin/nginx:malloc")...), "copy"},
		{"a fault", append(kernel("set_pte_range", "filemap_map_pages", "handle_mm_fault"), user("/usr/sbin/nginx:malloc")...), "files"},

		{"the server's own", user("/usr/sbin/nginx:ngx_http_core_run_phases"), OwnCode},
		{"without names", user("/usr/sbin/nginx:[unknown]", "[unknown]:[unknown]"), OwnCode},
		{"its copy", user("/usr/lib/x86_64-linux-gnu/libc.so.6:__memmove_avx512_unaligned_erms", "[unknown]:[unknown]"), "copy"},
		{"musl's, in the program", user("/opt/server:memcpy", "/opt/server:encode"), "copy"},
		{"mimalloc", user("/opt/server:mi_heap_malloc_zero_aligned_at", "/opt/server:encode"), "alloc"},
		{"Go's garbage", user("/opt/server:runtime.scanobject", "/opt/server:runtime.gcDrain"), "alloc"},
		{"a helper of malloc", user("/lib/libc.so.6:tcache_get", "/lib/libc.so.6:malloc", "/opt/server:f"), "alloc"},
		{"cryptography without names", user("/usr/lib/libcrypto.so.3:[unknown]", "/usr/sbin/nginx:f"), "tls"},
		{"of another library", user("/lib/ld-musl-x86_64.so.1:strchrnul"), Libraries},
		{"the clock", user("[vdso]:__vdso_clock_gettime"), Libraries},
		{"made while it runs", user("//anon:[unknown]"), NoName},
		{"nothing", nil, NoName},
	}
	for _, test := range tests {
		if got := groups.Of(test.stack); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// One's own groups come first, and take the place of one of the same name.
func TestGroupsOfOnesOwn(t *testing.T) {
	groups, err := Compile([]Group{{Name: "sandbox", Symbols: `seccomp|^hook_`}, {Name: "copy", Symbols: `^my_copy$`}, {Name: "lua", Modules: `^libluajit`}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		stack []Frame
		want  string
	}{
		{kernel("__seccomp_filter"), "sandbox"},
		{kernel("hook_file_open"), "sandbox"},
		{user("/opt/server:my_copy"), "copy"},
		{user("/opt/server:memcpy"), OwnCode},
		{user("/usr/lib/libluajit-5.1.so.2:lj_vm_call"), "lua"},
	} {
		if got := groups.Of(test.stack); got != test.want {
			t.Errorf("%v: %q, want %q", test.stack, got, test.want)
		}
	}
}

func TestCompileFaults(t *testing.T) {
	for _, test := range []struct {
		name string
		own  []Group
		want string
	}{
		{"no expression", []Group{{Name: "a"}}, `group "a": no expression`},
		{"a wrong one", []Group{{Name: "a", Symbols: "("}}, "missing closing )"},
		{"one for everything", []Group{{Name: "a", Modules: "x*"}}, `"x*" matches everything`},
		{"the rest", []Group{{Name: OwnCode, Symbols: "x"}}, "that is what no group knows"},
		{"twice", []Group{{Name: "a", Symbols: "x"}, {Name: "a", Symbols: "y"}}, "is there twice"},
	} {
		if _, err := Compile(test.own); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
