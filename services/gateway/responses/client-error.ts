import { randomUUID } from 'node:crypto';
import { docUrl } from '@app/http';

const errorResponses: Record<string, { status: string; code: string; error: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'headers_too_large',
    error: 'the headers are larger than 16 KB',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'request_timeout',
    error: 'the request did not arrive in time',
  },
};
const malformed = { status: '400 Bad Request', code: 'malformed_request', error: 'the request is not valid HTTP/1.1' };

type Socket = { writable: boolean; destroy(): unknown; end(text: string): unknown };

/**
 * For `clientError`: Node's parser refused the bytes, so there is no request, and the response is written to the socket itself.
 * @param origin of the guide that explains the error
 */
export function clientErrorResponder(origin: string): (error: Error & { code?: string }, socket: Socket) => void {
  return (error, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    endWithError(socket, origin, errorResponses[error.code ?? ''] ?? malformed);
  };
}

type RawError = { status: string; code: string; error: string; retryAfterS?: number };

/** Writes an error response to a socket that has no request, and closes it. */
export function endWithError(socket: Pick<Socket, 'end'>, origin: string, refusal: RawError): void {
  const { status, code, error, retryAfterS } = refusal;
  const text = JSON.stringify({ error, code, doc_url: docUrl(origin, code) });
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${randomUUID()}`,
    ...(retryAfterS === undefined ? [] : [`Retry-After: ${retryAfterS}`]),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
