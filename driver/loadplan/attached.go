package loadplan

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/scalws/scalbench/internal/suite"
)

// CheckBase returns what is wrong with the URL of a server that runs already: it has a
// scheme, a host and nothing else, for the scenarios have the paths.
func CheckBase(base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("attach %q, expected http://HOST:PORT or https://HOST:PORT", base)
	}
	return nil
}

// At returns the URL of a scenario on a server that runs already, at base. A scenario with
// a URL of its own would ask another server, and one that is to be asked over TLS or in
// cleartext is not the same the other way.
func At(s suite.Scenario, base string) (string, error) {
	if err := CheckBase(base); err != nil {
		return "", err
	}
	u, _ := url.Parse(base) // it is checked
	switch https := u.Scheme == "https"; {
	case !strings.HasPrefix(s.URL, "/"):
		return "", fmt.Errorf("scenario %s: it asks %s, whatever is attached to", s.Name, s.URL)
	case https && !s.TLS.On:
		return "", fmt.Errorf("scenario %s: it is asked in cleartext, and the server that is attached to at %s", s.Name, base)
	case !https && s.TLS.On:
		return "", fmt.Errorf("scenario %s: it is asked over TLS, and the server that is attached to at %s", s.Name, base)
	}
	return u.Scheme + "://" + u.Host + s.URL, nil
}
