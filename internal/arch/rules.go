package arch

// rule finds faults in files. Most rules look at one file at a time; those
// about packages need all of them.
type rule struct {
	name string
	find func(files []File) (faults []string)
}

// rules are all of them, in the order in which faults are told.
func rules() []rule {
	return []rule{
		{"imports run down", importsDown},
		{"test support stays in tests", onlyForTests},
		{"outside packages", outsideWorld},
		{"package names", packageNames},
		{"package comments", packageComments},
		{"no init", noInit},
		{"file size", fileSize},
		{"function length", functionLength},
		{"gofmt", gofmt},
	}
}

// Check returns every fault of every rule; nil when there is none.
func Check(files []File) []string {
	var faults []string
	for _, r := range rules() {
		faults = append(faults, r.find(files)...)
	}
	return faults
}
