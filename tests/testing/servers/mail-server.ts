import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';

/** `text` is the body without its transfer encoding, `subject` decoded, `raw` the whole as it was sent. */
export type Sent = { from: string; to: string[]; text: string; subject: string; raw: string };

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** A real SMTP server on loopback. */
export async function startMailServer() {
  const sent: Sent[] = [];
  const asked: string[] = [];
  let refusal: number | null = null;
  let hanging: boolean | string = false;
  let held: (() => void)[] | null = null;
  let senderRefusal: number | null = null;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onMailFrom(_address, _session, done) {
      if (senderRefusal === null) done();
      else done(Object.assign(new Error('not you'), { responseCode: senderRefusal }));
    },
    onRcptTo({ address }, _session, done) {
      asked.push(address);
      if (hanging === true || address.endsWith(`@${hanging}`)) return;
      const answer = () =>
        refusal === null ? done() : done(Object.assign(new Error('not now'), { responseCode: refusal }));
      if (held) held.push(answer);
      else answer();
    },
    async onData(stream, { envelope }, done) {
      const { mailFrom, rcptTo } = envelope;
      const to = rcptTo.map(({ address }) => address);
      sent.push({ from: mailFrom ? mailFrom.address : '', to, ...(await received(stream)) });
      done();
    },
  });
  // Clients that give up reset their connections.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    /** Accepted e-mails, the oldest first. */
    sentTo: (address: string): Sent[] => sent.filter(({ to }) => to.includes(address)),
    /** From now on refuses every recipient with that status; null: accepts everything. */
    refuse(status: number | null): void {
      refusal = status;
    },
    /** The same of every sender. */
    refuseSender(status: number | null): void {
      senderRefusal = status;
    },
    /** From now on does not answer when a client names a recipient, or one of this domain; false: answers again. */
    hang(hangs: boolean | string): void {
      hanging = hangs;
    },
    /** From now on answers a client that names a recipient once the returned function is called. */
    hold(): () => void {
      const waiting: (() => void)[] = [];
      held = waiting;
      return () => {
        held = null;
        for (const answer of waiting) answer();
      };
    },
    /** Recipients that clients named, accepted or not. */
    asked: (): string[] => asked,
    close: (): Promise<void> => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function received(stream: SMTPServerDataStream): Promise<Pick<Sent, 'text' | 'subject' | 'raw'>> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const message = Buffer.concat(chunks).toString('utf8');
  const [head = '', ...rest] = message.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const encoding = /^content-transfer-encoding: *(\S+)/im.exec(head)?.[1]?.toLowerCase();
  const text = encoding === 'base64' ? Buffer.from(body, 'base64').toString('utf8') : quotedPrintable(body);
  const subject = /^subject: *((?:.|\r\n )*)/im.exec(head)?.[1] ?? '';
  return {
    text: encoding === 'base64' ? text : encoding === 'quoted-printable' ? text : body,
    subject: decoded(subject),
    raw: message,
  };
}

function quotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Decodes RFC 2047, as far as nodemailer uses it. */
function decoded(subject: string): string {
  return subject
    .replace(/\?=\r\n =\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('utf8')
        : quotedPrintable(text.replaceAll('_', ' ')),
    );
}
