package target

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"
)

// maxCached bounds the answers in the cache, each of at most
// [maxUpstreamBodyBytes]. Further ones are handed on but not kept: throwing
// out others for them would make the rate depend on their order.
const maxCached = 64

// cache keeps answers of the upstream. The zero value is empty. Readers take
// no lock, because they are the load.
type cache struct {
	writing sync.Mutex
	kept    atomic.Pointer[map[string]cached] // replaced, never changed; nil is empty
}

// cached is a whole answer of status 200.
type cached struct {
	contentType string
	body        []byte
}

// Values of the field that says where an answer comes from (RFC 9211, 2.1 and
// 2.2).
const (
	cacheStatus = "Cache-Status"
	cacheHit    = "scalbench-target; hit"
	cacheMiss   = "scalbench-target; fwd=uri-miss"
)

// cacheHit answers from memory, or asks the upstream and keeps what it says.
// Requests that miss at the same time all ask.
func (s *server) cacheHit(ctx *fasthttp.RequestCtx, rest []byte) {
	var buf [256]byte
	key := append(buf[:0], rest...)
	key = append(key, '?')
	key = append(key, ctx.QueryArgs().QueryString()...)
	if found, ok := s.cache.get(key); ok {
		ctx.SetContentType(found.contentType)
		ctx.Response.SetBodyRaw(found.body)
		ctx.Response.Header.Set(cacheStatus, cacheHit)
		return
	}
	response := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(response)
	if !s.ask(ctx, rest, response) {
		return
	}
	if response.StatusCode() == fasthttp.StatusOK && ctx.IsGet() {
		s.cache.put(key, cached{contentType: string(response.Header.ContentType()), body: append([]byte(nil), response.Body()...)})
	}
	handOn(ctx, response)
	ctx.Response.Header.Set(cacheStatus, cacheMiss)
}

func (c *cache) get(key []byte) (found cached, ok bool) {
	kept := c.kept.Load()
	if kept == nil {
		return cached{}, false
	}
	found, ok = (*kept)[string(key)] // looked up in place, no string is made
	return found, ok
}

func (c *cache) put(key []byte, answer cached) {
	c.writing.Lock()
	defer c.writing.Unlock()
	next := make(map[string]cached)
	if kept := c.kept.Load(); kept != nil {
		if len(*kept) >= maxCached {
			return
		}
		maps.Copy(next, *kept)
	}
	next[string(key)] = answer
	c.kept.Store(&next)
}

// empty forgets everything. It is called when the upstream has failed: an
// answer from memory would then hide that there is nobody behind it.
func (c *cache) empty() {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.kept.Store(nil)
}
