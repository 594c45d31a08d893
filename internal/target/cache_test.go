package target

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestCacheHitAndMiss(t *testing.T) {
	upstream := start(t, Config{})
	server := start(t, Config{Upstream: upstream.url})
	for _, test := range []struct {
		method, path string
		status       int
		from         string // Cache-Status
	}{
		{"HEAD", "/cache-hit", 200, cacheMiss}, // has no body to keep
		{"GET", "/cache-hit", 200, cacheMiss},
		{"GET", "/cache-hit", 200, cacheHit},
		{"HEAD", "/cache-hit", 200, cacheHit},
		{"GET", "/cache-hit/respond-1k", 200, cacheMiss}, // another key
		{"GET", "/cache-hit/respond-1k?x=1", 200, cacheMiss},
		{"GET", "/cache-hit/respond-1k?x=1", 200, cacheHit},
		{"GET", "/cache-hit/fault/status/404", 404, cacheMiss}, // not kept
		{"GET", "/cache-hit/fault/status/404", 404, cacheMiss},
		{"GET", "/cache-hit", 200, cacheHit}, // that was an answer, no failure
	} {
		resp, _ := get(t, test.method, server.url+test.path, nil)
		if from := resp.Header.Get("Cache-Status"); resp.StatusCode != test.status || from != test.from {
			t.Errorf("%s %s: status %d, %q; want %d, %q", test.method, test.path, resp.StatusCode, from, test.status, test.from)
		}
	}
	// A hit needs no upstream.
	upstream.cancel()
	if err := upstream.wait(t); err != nil {
		t.Fatal(err)
	}
	resp, body := get(t, "GET", server.url+"/cache-hit", nil)
	if resp.StatusCode != 200 || hexSHA256(body) != smallSHA256 {
		t.Errorf("status %d, %d bytes, want 200 and the kept ones", resp.StatusCode, len(body))
	}
	// Once it is known that the upstream has failed, nothing is a hit.
	for _, path := range []string{"/proxy", "/cache-hit"} {
		if resp, body := get(t, "GET", server.url+path, nil); resp.StatusCode != 502 {
			t.Errorf("%s: status %d, body %q, want 502", path, resp.StatusCode, body)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	var c cache
	for i := range maxCached + 10 {
		c.put(fmt.Appendf(nil, "key %d", i), cached{contentType: "text/plain", body: []byte{byte(i)}})
	}
	for i := range maxCached + 10 {
		found, ok := c.get(fmt.Appendf(nil, "key %d", i))
		if ok != (i < maxCached) || ok && !bytes.Equal(found.body, []byte{byte(i)}) {
			t.Errorf("key %d: %v, %t", i, found, ok)
		}
	}
	c.empty()
	if _, ok := c.get([]byte("key 0")); ok {
		t.Error("found after the cache was emptied")
	}
}

// A key that was read from the pooled request must not change with it.
func TestCacheKeyIsACopy(t *testing.T) {
	var c cache
	key := []byte("/a?")
	c.put(key, cached{body: []byte("1")})
	copy(key, "/b?")
	if _, ok := c.get([]byte("/b?")); ok {
		t.Error("the key changed with the caller's bytes")
	}
	if found, ok := c.get([]byte("/a?")); !ok || strings.Compare(string(found.body), "1") != 0 {
		t.Errorf("got %v, %t", found, ok)
	}
}
