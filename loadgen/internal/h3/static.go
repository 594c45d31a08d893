package h3

// staticLines is how many lines the static table of RFC 9204 appendix A has.
const staticLines = 99

// staticStatus has the lines of that table that are a :status. Of the others
// their kind is all that matters here.
var staticStatus = [staticLines]string{
	24: "103", 25: "200", 26: "304", 27: "404", 28: "503",
	63: "100", 64: "204", 65: "206", 66: "302", 67: "400", 68: "403", 69: "421", 70: "425", 71: "500",
}

// staticLine returns the kind of a line of the static table, and its value if
// lines of that kind have one. ok is false when there is no such line.
func staticLine(index uint64) (kind lineKind, value string, ok bool) {
	switch {
	case index >= staticLines:
		return 0, "", false
	case staticStatus[index] != "":
		return kindStatus, staticStatus[index], true
	case index == 4: // content-length
		return kindLength, "0", true
	case index <= 1, index >= 15 && index <= 23: // :authority, :path, :method, :scheme
		return kindPseudo, "", true
	}
	return kindRegular, "", true
}
