package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\t")
		body, _ := base64.StdEncoding.DecodeString(parts[0])
		fmt.Println(IsGenuine(body, parts[1], parts[2], 300*time.Second))
	}
}
