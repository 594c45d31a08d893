package h1

import (
	"fmt"
	"strings"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// response is a row of the response tables: all bytes that a server sends to
// one request, then its FIN, and what becomes of the exchange.
type response struct {
	name   string
	toHEAD bool
	bytes  string
	excess int // of bytes, those behind the response's end
	want   result
}

// result is what the caller sees of an exchange.
type result struct {
	status    uint16
	bodyBytes int64
	outcome   exchange.Outcome
	text      string // reason
	reusable  bool   // before the FIN
}

// The rows of the tables end in one of these.

func ok(status uint16, bodyBytes int64, reusable bool) result {
	return result{status, bodyBytes, exchange.OK, "", reusable}
}

func badStatus(status uint16, bodyBytes int64, reusable bool) result {
	return result{status, bodyBytes, exchange.BadStatus, "", reusable}
}

// brokenHead is a fault before the end of the head.
func brokenHead(fault string) result {
	return result{outcome: exchange.ProtocolError, text: fault}
}

// brokenBody is a fault behind the head of a 200, after so many body bytes.
func brokenBody(bodyBytes int64, fault string) result {
	return result{200, bodyBytes, exchange.ProtocolError, fault, false}
}

// cutOff is a FIN before the end of the response.
func cutOff(status uint16, bodyBytes int64, text string) result {
	return result{status, bodyBytes, exchange.ReadFailed, text, false}
}

const (
	kept   = true
	closed = false
)

// goodResponses are those that RFC 9112 allows or lets a client accept.
var goodResponses = []response{
	{name: "length", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", want: ok(200, 5, kept)},
	{name: "length-zero", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", want: ok(200, 0, kept)},
	{name: "length-any-case", bytes: "HTTP/1.1 200 OK\r\ncONTENT-lENGTH:5\r\n\r\nhello", want: ok(200, 5, kept)},
	{name: "length-in-whitespace", bytes: "HTTP/1.1 200 OK\r\nContent-Length: \t 5 \t\r\n\r\nhello", want: ok(200, 5, kept)},
	{name: "length-leading-zeros", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 000000000000000000000005\r\n\r\nhello", want: ok(200, 5, kept)},
	{name: "length-repeated", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", want: ok(200, 5, kept)},
	{name: "length-list", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5, 5 ,05\r\n\r\nhello", want: ok(200, 5, kept)},
	{name: "usual-head", bytes: "HTTP/1.1 200 OK\r\nServer: target\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n" +
		"Content-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\nETag: \"a-b\"\r\n\r\nabc", want: ok(200, 3, kept)},
	{name: "names-of-equal-length", bytes: "HTTP/1.1 200 OK\r\nConnectioN-: close\r\nX-nnection: close\r\n" +
		"X-ntent-Length: 9\r\nX-ansfer-Encoding: x\r\nContent-Length: 1\r\n\r\na", want: ok(200, 1, kept)},
	{name: "value-tab-and-high-octets", bytes: "HTTP/1.1 200 OK\r\nX-Long: a\tb\x80\xff\x9f cdefgh\t\r\nX-Empty:\r\nContent-Length: 0\r\n\r\n", want: ok(200, 0, kept)},
	{name: "reason-empty", bytes: "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", want: ok(200, 0, kept)},
	{name: "reason-missing", bytes: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", want: ok(200, 0, kept)},
	{name: "reason-high-octets", bytes: "HTTP/1.1 200 \xc3\xa9t\xc3\xa9\tOK\r\nContent-Length: 0\r\n\r\n", want: ok(200, 0, kept)},
	{name: "bare-lf", bytes: "HTTP/1.1 200 OK\nContent-Length: 2\n\nab", want: ok(200, 2, kept)},
	{name: "mixed-line-ends", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\n\r\nab", want: ok(200, 2, kept)},

	{name: "status-404", bytes: "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno\n", want: badStatus(404, 3, kept)},
	{name: "status-600", bytes: "HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n", want: badStatus(600, 0, kept)},
	{name: "status-999", bytes: "HTTP/1.1 999\r\nContent-Length: 1\r\n\r\nx", want: badStatus(999, 1, kept)},

	{name: "no-content", bytes: "HTTP/1.1 204 No Content\r\n\r\n", want: ok(204, 0, kept)},
	{name: "no-content-with-length", bytes: "HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", want: ok(204, 0, kept)},
	{name: "no-content-chunked", bytes: "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", want: ok(204, 0, kept)},
	{name: "not-modified", bytes: "HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\n\r\n", want: badStatus(304, 0, kept)},
	{name: "head-length", toHEAD: true, bytes: "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n", want: ok(200, 0, kept)},
	{name: "head-chunked", toHEAD: true, bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", want: ok(200, 0, kept)},
	{name: "head-without-framing", toHEAD: true, bytes: "HTTP/1.1 200 OK\r\n\r\n", want: ok(200, 0, kept)},
	{name: "head-close", toHEAD: true, bytes: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", want: ok(200, 0, closed)},

	{name: "until-close", bytes: "HTTP/1.1 200 OK\r\n\r\nall of it", want: ok(200, 9, closed)},
	{name: "until-close-empty", bytes: "HTTP/1.1 200 OK\r\n\r\n", want: ok(200, 0, closed)},
	{name: "until-close-keep-alive", bytes: "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nabc", want: ok(200, 3, closed)},
	{name: "connection-close", bytes: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab", want: ok(200, 2, closed)},
	{name: "connection-close-any-case", bytes: "HTTP/1.1 200 OK\r\nCONNECTION:\tCloSe\t\r\nContent-Length: 2\r\n\r\nab", want: ok(200, 2, closed)},
	{name: "connection-list", bytes: "HTTP/1.1 200 OK\r\nConnection: foo, ,close\t, bar\r\nContent-Length: 2\r\n\r\nab", want: ok(200, 2, closed)},
	{name: "connection-close-beats-keep-alive", bytes: "HTTP/1.1 200 OK\r\nConnection: close\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", want: ok(200, 0, closed)},
	{name: "connection-other-words", bytes: "HTTP/1.1 200 OK\r\nConnection: closed, not-close, close-\r\nContent-Length: 0\r\n\r\n", want: ok(200, 0, kept)},
	{name: "http10", bytes: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab", want: ok(200, 2, closed)},
	{name: "http10-keep-alive", bytes: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nab", want: ok(200, 2, kept)},
	{name: "http10-until-close", bytes: "HTTP/1.0 200 OK\r\n\r\nabc", want: ok(200, 3, closed)},
	{name: "http10-keep-alive-and-close", bytes: "HTTP/1.0 200 OK\r\nConnection: keep-alive, close\r\nContent-Length: 0\r\n\r\n", want: ok(200, 0, closed)},

	{name: "chunked", bytes: chunkedHead + "5\r\nhello\r\n0\r\n\r\n", want: ok(200, 5, kept)},
	{name: "chunked-empty", bytes: chunkedHead + "0\r\n\r\n", want: ok(200, 0, kept)},
	{name: "chunked-any-case", bytes: "HTTP/1.1 200 OK\r\ntransfer-ENCODING: \tChunkeD \r\n\r\n0\r\n\r\n", want: ok(200, 0, kept)},
	{name: "chunked-close", bytes: "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", want: ok(200, 1, closed)},
	{name: "chunked-several", bytes: chunkedHead + "1\r\na\r\n0000000A\r\n0123456789\r\n1\r\n\n\r\n00\r\n\r\n", want: ok(200, 12, kept)},
	{name: "chunked-hex", bytes: chunkedHead + "1a\r\n" + strings.Repeat("x", 26) + "\r\nB\r\n" + strings.Repeat("y", 11) + "\r\n0\r\n\r\n", want: ok(200, 37, kept)},
	{name: "chunked-extensions", bytes: chunkedHead + "3;a=1;b=\"two\"\r\nabc\r\n0;last\r\n\r\n", want: ok(200, 3, kept)},
	{name: "chunked-bad-whitespace", bytes: chunkedHead + "3 \t; a = 1 \r\nabc\r\n0 \r\n\r\n", want: ok(200, 3, kept)},
	{name: "chunked-trailers", bytes: chunkedHead + "1\r\na\r\n0\r\nX-Sum: 1\r\nX-Empty:\r\n\r\n", want: ok(200, 1, kept)},
	{name: "chunked-framing-in-trailers", bytes: chunkedHead + "0\r\nContent-Length: x\r\nTransfer-Encoding: y\r\nConnection: close\r\n\r\n", want: ok(200, 0, kept)},
	{name: "chunked-data-like-framing", bytes: chunkedHead + "9\r\n\r\n0\r\n\r\n5\r\r\n0\r\n\r\n", want: ok(200, 9, kept)},

	{name: "interim", bytes: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", want: ok(200, 1, kept)},
	{name: "interim-several", bytes: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102\r\nContent-Length: 4\r\n\r\n" +
		"HTTP/1.1 199 x\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", want: ok(200, 1, kept)},
	{name: "interim-32", bytes: strings.Repeat(interim, 32) + "HTTP/1.1 204 \r\n\r\n", want: ok(204, 0, kept)},

	{name: "head-64-KiB", bytes: sizedHead(65536), want: ok(200, 0, kept)},
	{name: "chunk-line-4-KiB", bytes: chunkedHead + "0;" + strings.Repeat("x", 4096-4) + "\r\n\r\n", want: ok(200, 0, kept)},
	// 16 384 = "X: " + value + CR LF + the empty line's CR LF
	{name: "trailers-16-KiB", bytes: chunkedHead + "0\r\nX: " + strings.Repeat("x", 16384-3-2-2) + "\r\n\r\n", want: ok(200, 0, kept)},
}

const (
	chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	interim     = "HTTP/1.1 100 Continue\r\n\r\n"
)

// sizedHead returns a head of exactly size bytes for an empty body.
func sizedHead(size int) string {
	const frame = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Fill: \r\n\r\n"
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Fill: %s\r\n\r\n", strings.Repeat("x", size-len(frame)))
}
