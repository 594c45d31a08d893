package serverproc

import (
	"fmt"
	"strconv"
)

// UIDRule says whose rights a server must act with. The zero rule takes any.
type UIDRule struct {
	Kind UIDRuleKind
	UID  int // of UIDExactly
}

// UIDRuleKind is the kind of a rule.
type UIDRuleKind uint8

const (
	UIDAny UIDRuleKind = iota
	// UIDNonRoot: neither its real nor its effective user is root. As root some
	// restrictions are never applied, so that two variants are the same program.
	UIDNonRoot
	UIDExactly // its effective user is that one
)

// ParseUIDRule reads "nonroot", a number, or a name of this host; "" is any.
func ParseUIDRule(text string) (UIDRule, error) {
	switch text {
	case "":
		return UIDRule{}, nil
	case "nonroot":
		return UIDRule{Kind: UIDNonRoot}, nil
	}
	id, err := lookUpIdentity(text)
	if err != nil {
		return UIDRule{}, fmt.Errorf("uid: %q, expected nonroot, a number or a user of this host: %w", text, err)
	}
	return UIDRule{Kind: UIDExactly, UID: id.UID}, nil
}

// String returns the form that ParseUIDRule reads, with the number of a name.
func (r UIDRule) String() string {
	switch r.Kind {
	case UIDNonRoot:
		return "nonroot"
	case UIDExactly:
		return strconv.Itoa(r.UID)
	}
	return ""
}

// holds reports whether a process with these users keeps the rule.
func (r UIDRule) holds(realUID, effectiveUID int) bool {
	switch r.Kind {
	case UIDNonRoot:
		return realUID != 0 && effectiveUID != 0
	case UIDExactly:
		return effectiveUID == r.UID
	}
	return true
}
