import hashlib
import hmac
import re
import time


def is_genuine(raw_body: bytes, header: str, secret: str, tolerance_seconds: int = 300) -> bool:
    """raw_body: the bytes as they came (Flask: request.get_data(), Django: request.body); header: X-Service-Signature."""
    match = re.fullmatch(r"t=(\d{1,12}),v1=([0-9a-f]{64})", header or "", re.ASCII)
    if match is None:
        return False
    timestamp, signature = match.groups()
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    is_fresh = abs(time.time() - int(timestamp)) <= tolerance_seconds
    return hmac.compare_digest(expected, signature) and is_fresh
