import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from webhooks import is_genuine

INBOX, SECRET = os.environ["INBOX"], os.environ["WEBHOOK_SECRET"]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        delivery = self.headers["X-Service-Delivery"] or ""
        genuine = is_genuine(raw_body, self.headers["X-Service-Signature"], SECRET)
        if not genuine or not re.fullmatch("[0-9a-f]{24}", delivery):
            return self.answer(400)
        try:
            # Named by its delivery id, and never overwritten: what comes again is there already. Work on the files afterwards.
            with open(f"{INBOX}/{delivery}.json", "xb") as file:
                file.write(raw_body)
        except FileExistsError:
            pass
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
