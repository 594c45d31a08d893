package h3

import (
	"fmt"
	"strings"
	"testing"
)

func TestErrorCodes(t *testing.T) {
	for code, want := range map[ErrorCode]string{
		0:                        "0x0",
		0xff:                     "0xff",
		NoError:                  "H3_NO_ERROR (0x100)",
		ClosedCriticalStream:     "H3_CLOSED_CRITICAL_STREAM (0x104)",
		IDError:                  "H3_ID_ERROR (0x108)",
		RequestRejected:          "H3_REQUEST_REJECTED (0x10b)",
		RequestCancelled:         "H3_REQUEST_CANCELLED (0x10c)",
		MessageError:             "H3_MESSAGE_ERROR (0x10e)",
		VersionFallback:          "H3_VERSION_FALLBACK (0x110)",
		0x111:                    "0x111",
		QPACKDecompressionFailed: "QPACK_DECOMPRESSION_FAILED (0x200)",
		QPACKDecoderStreamError:  "QPACK_DECODER_STREAM_ERROR (0x202)",
		0x203:                    "0x203",
		1<<62 - 1:                "0x3fffffffffffffff",
	} {
		if got := code.String(); got != want {
			t.Errorf("%#x: %q, want %q", uint64(code), got, want)
		}
	}
	// Every name ends in its own number.
	for code := ErrorCode(0); code < 0x300; code++ {
		got, number := code.String(), fmt.Sprintf("%#x", uint64(code))
		named := code >= 0x100 && code <= 0x110 || code >= 0x200 && code <= 0x202
		if named != strings.HasSuffix(got, " ("+number+")") || !named && got != number {
			t.Errorf("%s: %q", number, got)
		}
	}
}
