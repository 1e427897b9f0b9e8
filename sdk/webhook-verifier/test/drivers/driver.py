import base64
import sys

from webhooks import is_genuine

for line in sys.stdin.read().rstrip("\n").split("\n"):
    body, header, secret = line.split("\t")
    print(str(is_genuine(base64.b64decode(body), header, secret)).lower())
