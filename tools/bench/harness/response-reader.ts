type Response = { status: number; head: Buffer };

const endOfHead = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');

/**
 * Reads the responses of one kept-alive connection with one request in flight, without their bodies. It knows just enough of
 * HTTP/1.1 for the responses measured here, because it shares the processors with the servers.
 * @param answered called with each complete response
 * @throws Error from the returned function, for a response with neither length nor chunks
 */
export function createResponseReader(answered: (response: Response) => void): (data: Buffer) => void {
  let start: Buffer | null = null;
  let response: Response | null = null;
  let left = 0;
  let tail: Buffer = Buffer.alloc(0);

  function read(data: Buffer): void {
    const whole: Buffer = start ? Buffer.concat([start, data]) : data;
    const end = whole.indexOf(endOfHead);
    if (end === -1) {
      start = whole;
      return;
    }
    start = null;
    const head = whole.subarray(0, end);
    left = lengthOf(head);
    response = { status: Number(head.toString('latin1', 9, 12)), head };
    take(whole.subarray(end + endOfHead.length));
  }

  function take(body: Buffer): void {
    if (left >= 0) {
      left -= body.length;
      if (left <= 0) finish();
      return;
    }
    tail = Buffer.concat([tail, body.subarray(-lastChunk.length)]).subarray(-lastChunk.length);
    if (tail.equals(lastChunk)) finish();
  }

  function finish(): void {
    const current = response as Response;
    response = null;
    tail = Buffer.alloc(0);
    answered(current);
  }

  return (data) => (response ? take(data) : read(data));
}

/** In bytes; -1: in chunks. */
function lengthOf(head: Buffer): number {
  const text = head.toString('latin1');
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length !== undefined) return Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(text)) return -1;
  if (/^HTTP\/1\.1 (204|304)/.test(text)) return 0;
  throw new Error(`a response without length: ${text.slice(0, 200)}`);
}
