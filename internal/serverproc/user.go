package serverproc

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// identity is whom a process runs as.
type identity struct {
	UID    int   `json:"uid"`
	GID    int   `json:"gid"`
	Groups []int `json:"groups"` // supplementary
}

// resolveUser returns whom to become; nil when that is who we are already.
func resolveUser(name string) (*identity, error) {
	if name == "" {
		return nil, nil
	}
	id, err := lookUpIdentity(name)
	if err != nil {
		return nil, fmt.Errorf("user %q: %w", name, err)
	}
	switch uid := os.Geteuid(); {
	case id.UID == uid:
		return nil, nil
	case uid != 0:
		return nil, fmt.Errorf("user %q: only root can start a process as another user, and this is user %d", name, uid)
	}
	return id, nil
}

// lookUpIdentity reads the user's entry and groups. A number without an entry, as
// in a container, has the group of the same number and no other.
func lookUpIdentity(name string) (*identity, error) {
	entry, err := lookUpUser(name)
	if number, numberErr := strconv.Atoi(name); err != nil && numberErr == nil && number >= 0 {
		return &identity{UID: number, GID: number}, nil
	}
	if err != nil {
		return nil, err
	}
	id := &identity{}
	uid, uidErr := strconv.Atoi(entry.Uid)
	gid, gidErr := strconv.Atoi(entry.Gid)
	if err := errors.Join(uidErr, gidErr); err != nil {
		return nil, err
	}
	id.UID, id.GID = uid, gid
	groups, err := entry.GroupIds()
	if err != nil {
		return nil, err
	}
	for _, text := range groups {
		group, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		id.Groups = append(id.Groups, group)
	}
	return id, nil
}

// lookUpUser finds an entry by number or by name.
func lookUpUser(name string) (*user.User, error) {
	if _, err := strconv.Atoi(name); err == nil {
		return user.LookupId(name)
	}
	return user.Lookup(name)
}

// credentialOf is the identity as the kernel is told it; nil stays who we are.
func credentialOf(id *identity) *syscall.Credential {
	if id == nil {
		return nil
	}
	c := &syscall.Credential{Uid: uint32(id.UID), Gid: uint32(id.GID)}
	for _, group := range id.Groups {
		c.Groups = append(c.Groups, uint32(group))
	}
	return c
}
