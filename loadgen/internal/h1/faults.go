package h1

// Bounds of what a response may take. RFC 9112 sets none; these are far above
// what servers send and keep a hostile one from growing the generator.
const (
	maxHeadBytes      = 64 << 10 // one head, line ends included
	maxInterims       = 32       // 1xx responses before the final one
	maxChunkLineBytes = 4 << 10  // one chunk size with its extensions and CR LF
	maxTrailerBytes   = 16 << 10 // all trailers, line ends included
)

// Faults: the texts of exchange.ProtocolError. They are constants so that a
// reason costs nothing to set.
const (
	faultNotHTTP         = "not an HTTP/1 response"
	faultVersion         = "version is neither HTTP/1.0 nor HTTP/1.1"
	faultStatusLine      = "malformed status line"
	faultStatusBelow100  = "status code below 100"
	faultReasonPhrase    = "control character in the reason phrase"
	faultSwitching       = "101 without an upgrade asked for"
	faultInterims        = "more than 32 interim responses"
	faultHeadSize        = "head above 64 KiB"
	faultFolded          = "folded header field"
	faultNoColon         = "header field without a colon"
	faultSpaceBeforeName = "whitespace between field name and colon"
	faultFieldName       = "invalid character in a field name"
	faultEmptyName       = "empty field name"
	faultFieldValue      = "control character in a field value"
	faultBareCR          = "CR without LF"

	faultLengthNumber   = "content-length is not a number"
	faultLengthOverflow = "content-length above 2^63-1"
	faultTwoLengths     = "two different content-lengths"
	faultCoding         = "transfer-encoding other than chunked"
	faultTwoCodings     = "two transfer-encodings"
	faultCodingIn10     = "transfer-encoding in HTTP/1.0"
	faultLengthCoding   = "content-length together with transfer-encoding"

	faultChunkLine      = "chunk line above 4 KiB"
	faultChunkLineEnd   = "chunk line does not end in CR LF"
	faultChunkSize      = "chunk size is not a hexadecimal number"
	faultChunkOverflow  = "chunk size above 2^63-1"
	faultChunkExtension = "control character in a chunk extension"
	faultChunkEnd       = "no CR LF after the chunk's data"
	faultTrailers       = "trailers above 16 KiB"
	faultTrailerEnd     = "trailer line does not end in CR LF"

	faultExcess = "more bytes than the response"
	faultUnsent = "response before the request was sent"
	faultStray  = "bytes that no request asked for"
)

// Texts of exchanges that broke off, by how far the response had come.
var (
	textsClosed = [...]string{
		nothingYet: "closed before the response",
		insideHead: "closed inside the head",
		insideBody: "closed inside the body",
	}
	textsReceive = [...]string{
		nothingYet: "receive failed before the response",
		insideHead: "receive failed inside the head",
		insideBody: "receive failed inside the body",
	}
	textsTimeout = [...]string{
		nothingYet: "no response by the deadline",
		insideHead: "head incomplete at the deadline",
		insideBody: "body incomplete at the deadline",
	}
)
