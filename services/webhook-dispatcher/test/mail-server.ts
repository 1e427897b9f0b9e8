import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export type Sent = { from: string; to: string[]; text: string };

export type MailServer = {
  url: string;
  /** Accepted e-mails, the oldest first. */
  sentTo(address: string): Sent[];
  /** From now on it answers every recipient with that status; null: it accepts everything. */
  refuse(status: number | null): void;
  close(): Promise<void>;
};

/** A real SMTP server on loopback. */
export async function startMailServer(): Promise<MailServer> {
  const sent: Sent[] = [];
  let refusal: number | null = null;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo(_address, _session, done) {
      if (refusal === null) done();
      else done(Object.assign(new Error('not now'), { responseCode: refusal }));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope;
        const text = Buffer.concat(chunks).toString('utf8').replace(/=\r\n/g, '');
        sent.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    sentTo: (address) => sent.filter(({ to }) => to.includes(address)),
    refuse(status) {
      refusal = status;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
