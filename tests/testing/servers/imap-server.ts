/// <reference path="./hoodiecrow-imap.d.ts" />
import type { AddressInfo, Socket } from 'node:net';
import hoodiecrow from 'hoodiecrow-imap';

export type ImapServer = {
  /** With the password. */
  url: string;
  append(raw: string): void;
  /** What is in the mailbox. */
  messages(): string[];
  close(): Promise<void>;
};

/** A real IMAP server on loopback, with the mailbox of one user. */
export async function startImapServer(password: string): Promise<ImapServer> {
  const server = hoodiecrow({
    plugins: ['ID', 'UIDPLUS', 'LITERALPLUS', 'NAMESPACE', 'ENABLE'],
    users: { answers: { password } },
    storage: { INBOX: {} },
  });
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Clients that give up reset their connections.
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `imap://answers:${encodeURIComponent(password)}@127.0.0.1:${port}/INBOX`,
    append: (raw) => server.appendMessage('INBOX', [], null, raw),
    messages: () => server.getMailbox('INBOX').messages.map(({ raw }) => raw),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
