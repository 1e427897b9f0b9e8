import type { Socket } from 'node:net';

/** More of them to one request would only keep this machine busy: the client is then given them, and refuses. */
const maxInterim = 16;
const maxHeadBytes = 16 * 1024;

/**
 * Takes interim answers (1xx) out of what a connection reads. Some servers send `100 Continue` unasked, which HTTP allows (RFC 9110,
 * 15.2) and which undici ends the connection for, without a setting.
 */
export class InterimAnswers {
  #isExpected = false;
  #left = maxInterim;
  #held: Buffer = Buffer.alloc(0);

  /** A request begins, so that a head comes next. */
  expect(): void {
    this.#isExpected = true;
    this.#left = maxInterim;
  }

  /** From now on, `read` of the socket gives what is left. */
  filter(socket: Socket): void {
    const read = socket.read.bind(socket) as () => Buffer | null;
    socket.read = () => {
      for (let chunk = read(); chunk !== null; chunk = read()) {
        const rest = this.#isExpected ? this.#withoutInterim(chunk) : chunk;
        if (rest.length > 0) return rest;
      }
      return null;
    };
  }

  /** What follows the interim answers; empty while one of them is not whole. */
  #withoutInterim(chunk: Buffer): Buffer {
    let bytes = Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    while (this.#left > 0 && isInterim(bytes)) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end === -1 && bytes.length <= maxHeadBytes) {
        this.#held = bytes;
        return Buffer.alloc(0);
      }
      if (end === -1) break;
      this.#left -= 1;
      bytes = bytes.subarray(end + 4);
    }
    if (bytes.length > 0) this.#isExpected = false;
    return bytes;
  }
}

/** Whether this begins, as far as it goes, like an interim answer; a change of protocol (101) is none. */
function isInterim(bytes: Buffer): boolean {
  const line = bytes.toString('latin1', 0, 'HTTP/1.1 100'.length);
  return line.length > 0 && /^HTTP\/1\.[01] 1(?!01)\d\d$/.test(line + 'HTTP/1.1 100'.slice(line.length));
}
