import { randomUUID } from 'node:crypto';

const answers: Record<string, { status: string; code: string; error: string }> = {
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
const malformed = { status: '400 Bad Request', code: 'malformed_request', error: 'this is not HTTP as we know it' };

type Socket = { writable: boolean; destroy(): unknown; end(text: string): unknown };

/** Answers what Node's parser refused: there is no request, so it is written on the socket itself, which then ends. */
export function answerUnparsable(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  endWith(socket, answers[error.code ?? ''] ?? malformed);
}

type Refusal = { status: string; code: string; error: string };

/** Answers on a socket that has no request, and ends it. */
export function endWith(socket: Pick<Socket, 'end'>, { status, code, error }: Refusal): void {
  const text = JSON.stringify({ error, code });
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${randomUUID()}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
