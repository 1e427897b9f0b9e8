import { createSocket } from 'node:dgram';

export type DnsServer = Awaited<ReturnType<typeof startDnsServer>>;

const typeTxt = 16;
const [noError, serverFailure, noSuchName] = [0, 2, 3];

/** A DNS server on loopback that knows TXT records. */
export async function startDnsServer() {
  const socket = createSocket('udp4');
  const server = {
    /** `127.0.0.1:<port>` */
    address: '',
    /** TXT records by name. */
    records: new Map<string, string[]>(),
    /** True: every query fails, as a server says it that cannot answer (SERVFAIL). */
    fails: false,
    /** The names that were asked for. */
    asked: [] as string[],
    close: () => void socket.close(),
  };
  socket.on('message', (query, { port, address }) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const name = nameIn(question);
    server.asked.push(name);
    const texts = server.fails ? [] : (server.records.get(name) ?? []);
    const found = texts.length > 0 ? noError : noSuchName;
    const code = server.fails ? serverFailure : found;
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80 | code, 0, 1, 0, texts.length, 0, 0, 0, 0]);
    socket.send(Buffer.concat([header, question, ...texts.map(recordOf)]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 0, length = question[0]; length; at += 1 + length, length = question[at]) {
    labels.push(question.toString('ascii', at + 1, at + 1 + length));
  }
  return labels.join('.').toLowerCase();
}

/** The name is a pointer to that of the question. Valid for a second. */
function recordOf(text: string): Buffer {
  const { length } = text;
  return Buffer.from([0xc0, 12, 0, typeTxt, 0, 1, 0, 0, 0, 1, 0, length + 1, length, ...Buffer.from(text, 'ascii')]);
}
