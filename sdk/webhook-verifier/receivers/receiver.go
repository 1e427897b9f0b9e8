package main

import (
	"errors"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"regexp"
	"time"

	"receiver/webhooks"
)

var deliveryForm = regexp.MustCompile(`^[0-9a-f]{24}$`)

func main() {
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(receive)))
}

func receive(w http.ResponseWriter, r *http.Request) {
	rawBody, err := io.ReadAll(r.Body)
	delivery, signature := r.Header.Get("X-Service-Delivery"), r.Header.Get("X-Service-Signature")
	isGenuine := webhooks.IsGenuine(rawBody, signature, os.Getenv("WEBHOOK_SECRET"), 300*time.Second)
	if err != nil || !isGenuine || !deliveryForm.MatchString(delivery) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if err := store(delivery, rawBody); err != nil && !errors.Is(err, fs.ErrExist) {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Named by its delivery id, and never overwritten: what comes again is there already. Work on the files afterwards.
func store(delivery string, rawBody []byte) error {
	file, err := os.OpenFile(os.Getenv("INBOX")+"/"+delivery+".json", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(rawBody)
	return errors.Join(err, file.Close())
}
