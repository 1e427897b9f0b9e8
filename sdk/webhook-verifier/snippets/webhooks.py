import hashlib
import hmac
import re
import time


def is_genuine(raw_body: bytes, header: str, secret: str, tolerance_seconds: int = 300) -> bool:
    """raw_body: the bytes as they came (Flask: request.get_data(), Django: request.body); header: X-Service-Signature."""
    match = re.match(r"t=(\d{1,12}),", header or "", re.ASCII)
    if match is None:
        return False
    timestamp = match[1]
    # The header may hold several signatures: one that matches is enough.
    signatures = re.findall(r",v1=([0-9a-f]{64})\b", header)[:10]
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    is_signed = any([hmac.compare_digest(expected, signature) for signature in signatures])
    is_fresh = abs(time.time() - int(timestamp)) <= tolerance_seconds
    return is_signed and is_fresh
