package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"time"
)

var signatureForm = regexp.MustCompile(`^t=(\d{1,12}),v1=([0-9a-f]{64})$`)

// IsGenuine tells whether rawBody (io.ReadAll(r.Body), before any decoder) is what we signed:
// header is r.Header.Get("X-Service-Signature"), secret the endpoint's whsec_…, whole.
func IsGenuine(rawBody []byte, header, secret string, tolerance time.Duration) bool {
	match := signatureForm.FindStringSubmatch(header)
	if match == nil {
		return false
	}
	signature, _ := hex.DecodeString(match[2])
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(match[1] + "."))
	mac.Write(rawBody)
	seconds, _ := strconv.ParseInt(match[1], 10, 64)
	isFresh := time.Since(time.Unix(seconds, 0)).Abs() <= tolerance
	return hmac.Equal(mac.Sum(nil), signature) && isFresh
}
