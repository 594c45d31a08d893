package profile

// Default is the table that is built in: what servers and the kernel below them do, by the
// names of Linux 5.10 to 7.0, of glibc and musl, mimalloc and jemalloc, of OpenSSL and
// rustls, and of Go's runtime. A name is in it only where its purpose is plain.
func Default() []Group {
	return []Group{
		{Name: "seccomp", Symbols: `seccomp|^__secure_computing`},
		{Name: "landlock", Symbols: `landlock|^hook_(path|inode|file|sb|socket|move|mount|unix|cred|task|ptrace)_|` +
			`^is_access_to_paths_allowed|^(current_)?check_access_(path|socket)|^collect_domain_accesses|^(landlock_)?(find_rule|unmask_layers)|init_layer_masks`},
		{Name: "lsm, other", Symbols: `^security_|^(apparmor|selinux|smack|tomoyo|avc|aa|bpf_lsm)_`},
		{Name: "copy", Symbols: `(^|_)mem(cpy|move|set|cmp|mem|chr)|^runtime\.(mem(move|clr|equal)|typedmemmove)|^_?_?copy_(to|from|user|page|in)|^_copy_|` +
			`^rep_(movs|stos)|^clear_(page|user)|^skb_copy_(datagram|bits)|^__skb_datagram_iter|^(simple_)?copy_to_iter|^copy_user|^csum_(and_copy|partial_copy)|^fault_in_`},
		{Name: "alloc", Symbols: `(m|c|re|memalign_)alloc(_|$)|^_?_?(libc_)?(malloc|calloc|realloc|free)$|^cfree|^(_int_|int_)(malloc|free)|^unlink_chunk|^_?mi_|^je_|^tcmalloc|^operator (new|delete)|` +
			`^_Z(n[wa]|d[la])|^__rust_(de)?alloc|^runtime\.(mallocgc|newobject|makeslice|growslice|gc|scan|mark|sweep|bgsweep|greyobject|findObject|\(\*m(cache|central|heap|span)\))|` +
			`^ngx_(palloc|pcalloc|pnalloc|pfree|create_pool|destroy_pool)|^_?_?_?k(m|z|v)?(alloc|free)|^kmem_cache|^_?_?_?slab_|^_?_?(alloc|free)_(pages|skb|frozen|unref|head)|^get_page_from_freelist|^_?_?rmqueue|` +
			`^kfree_skb|^skb_(release|free)|^napi_alloc|^sk_page_frag|^skb_page_frag`},
		{Name: "page faults", Symbols: `page_fault|^_?_?handle_mm_fault|^do_(anonymous_page|fault|wp_page)|^do_user_addr_fault|^(do_)?(mmap|munmap|madvise)|^unmap_|^zap_|^tlb_|flush_tlb`},
		{Name: "tls", Modules: `^lib(crypto|ssl|gnutls|nss|mbed|wolfssl)`, Symbols: `^_?(aes|aesni|gcm|ghash|sha(1|2|256|512)|chacha|ChaCha|poly1305|Poly1305|x25519|ecp|bn|rsaz)_|` +
			`^(SSL|ssl|EVP|BN|EC|RSA|CRYPTO|OPENSSL|tls|tls1|tls13|crypto|ngx_ssl)_|rustls|aws_lc|^ring::|^crypto/|^vendor/golang\.org/x/crypto`},
		{Name: "events", Symbols: `epoll|^ep_|eventfd|timerfd|^io_(uring|submit|issue|cqring)|^(do_)?(sys_)?poll(_|$)|^do_select|^ngx_event_(expire|find|process)`},
		{Name: "network", Symbols: `^_?_?(tcp|udp|ip|ip6|ipv4|ipv6|inet|inet6|inet_csk|sock|sk|skb|net|netif|napi|dev|qdisc|nf|ipt|nft|fib|dst|xmit|eth|veth|virtnet|unix|neigh|sch)_|` +
			`^_*sys_(send|recv|accept|connect|socket|setsockopt|getsockopt|shutdown|bind)|^process_backlog|^loopback_xmit|^(lock|release)_sock|^_*lock_sock|^validate_xmit|^import_(iovec|ubuf)|^move_addr|^read_tsc_skb|^bpf_skops`},
		{Name: "files", Symbols: `^do_filp_open|^(path|lookup|walk|link_path|step|open|vfs|filp|filemap|generic|file|inode|ext4|xfs|btrfs|ovl|shmem|tmpfs|overlayfs|splice|iomap|d|mnt|fd|pagecache|proc|kernfs)_|` +
			`^(do_)?sendfile|splice|^step_into|^try_to_unlazy|^complete_walk|^terminate_walk|^legitimize|^do_(open|dentry|statx?|sys_open|sys_openat2|fstat|lstat|iter|loop|readv|writev|preadv)|` +
			`^getname|^putname|^cp_(new_)?stat|^_*d_|^dput|^_*fput|^alloc_(empty_)?file|^(filp_)?close|^mntput|^mntget|^touch_atime|^atime_needs|^new_sync_(read|write)|^may_open|^nd_jump|^set_root|^kernel_read`},
		{Name: "scheduler", Symbols: `^_?_?schedule|^pick_(next|task)|^try_to_wake_up|^ttwu_|^_*wake_up|^default_wake|^autoremove_wake|^finish_task_switch|^_*switch_(to|mm|fpu)|^(en|de)queue_(task|entit)|` +
			`^update_(curr|load|rq)|^(sched|resched|select_task|select_idle|reweight|place_entity|prepare_task)|futex|^hrtimer|^_*hrtimer|^tick_|^ktime_|^runtime\.(schedule|findRunnable|findrunnable|park|gopark|goready|ready|futex|stealWork|runqgrab|mcall|netpoll|execute|casgstatus)`},
		{Name: "syscall", Leaf: true, Symbols: `^entry_SYS|^do_syscall_64|^do_int80|^x64_sys_call|^syscall_(enter|exit|return|trace)|^_*(x64|arm64|se)_sys_|^(arch_)?exit_to_user|^el0_svc|^invoke_syscall|` +
			`^srso_|^retbleed|^clear_bhb|^entry_(ibpb|untrain)|^__x86_(indirect|return)_thunk|^fpregs_`},
	}
}
