//go:build !linux

package probe

import "errors"

// enableStamps: only Linux stamps the bytes of a TCP socket.
func enableStamps(int) error { return errors.ErrUnsupported }

type stampKeeper struct{}

func keepStamping() stampKeeper { return stampKeeper{} }

func (stampKeeper) release() {}

func receiveStamped(int, []byte) (int, int64, error) { return 0, 0, errors.ErrUnsupported }
