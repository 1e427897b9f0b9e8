package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"time"
)

var (
	timestampForm = regexp.MustCompile(`^t=(\d{1,12}),`)
	signatureForm = regexp.MustCompile(`,v1=([0-9a-f]{64})\b`)
)

// IsGenuine tells whether rawBody (io.ReadAll(r.Body), before any decoder) is what we signed:
// header is r.Header.Get("X-Service-Signature"), secret the endpoint's whsec_…, whole.
func IsGenuine(rawBody []byte, header, secret string, tolerance time.Duration) bool {
	match := timestampForm.FindStringSubmatch(header)
	if match == nil {
		return false
	}
	timestamp := match[1]
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	expected := mac.Sum(nil)
	// The header may hold several signatures: one that matches is enough.
	isSigned := false
	for _, found := range signatureForm.FindAllStringSubmatch(header, 10) {
		signature, _ := hex.DecodeString(found[1])
		isSigned = hmac.Equal(expected, signature) || isSigned
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	isFresh := time.Since(time.Unix(seconds, 0)).Abs() <= tolerance
	return isSigned && isFresh
}
