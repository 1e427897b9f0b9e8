import { newId } from '@app/kernel';
import { metrics } from '@app/runtime';
import { eventually, type ImapServer, type MailServer, startImapServer, startMailServer, TcpProxy } from '@app/testing';
import { createReplyAddresses } from '../../../mail/inbound/reply-address.ts';
import { aKey, useIdentity } from '../../identity.ts';
import { plain } from './mail-programs.ts';
import { startTicketApi, type TicketApiStandIn } from './ticket-api.ts';

const domain = 'reply.test';
const inboundSecret = 'a secret of the mail server';
const password = 'p@ss/word of the mailbox';
const sessionKeys = [aKey('first')];
const addresses = createReplyAddresses({ keys: sessionKeys, domain });

let server: MailServer;
let imap: ImapServer;
let proxy: TcpProxy;
let tickets: TicketApiStandIn;
beforeAll(async () => {
  server = await startMailServer();
  imap = await startImapServer(password);
  proxy = await TcpProxy.start(imap.url);
  tickets = await startTicketApi();
});
const settings = () => ({
  mail: { url: server.url, from: 'Facility <accounts@example.com>' },
  answers: { domain, gatewayUrl: tickets.url, inboundSecret, imapUrl: proxy.url(imap.url) },
  sessionKeys,
});
const identity = useIdentity(settings);
afterAll(async () => {
  await tickets.close();
  await proxy.close();
  await imap.close();
  await server.close();
});

const later = (ms: number) => {
  identity.clock.now = new Date(identity.clock.now.getTime() + ms);
};
const unreadSeconds = async () => {
  const found = /^mailbox_unread_seconds (\S+)$/m.exec(await metrics.metrics());
  return Number(found?.[1]);
};
async function aWriter() {
  const user = await identity.user(['tickets']);
  const ticketId = newId();
  const to = addresses.addressOf({ userId: user.id, ticketId, kind: 'internal' }, identity.clock.now);
  return { user, ticketId, envelope: { from: user.email, to } };
}
/** Lets the next reading be due, once the one before has ended. */
async function nextReading(): Promise<void> {
  const mailboxes = identity.connection.collection('mailboxes');
  await eventually(async () => expect(await mailboxes.countDocuments({ lease: { $exists: false } })).toBe(1));
  later(30_000);
}
async function emptied(): Promise<void> {
  await nextReading();
  await eventually(() => expect(imap.messages()).toEqual([]));
}

test('e-mails of a mailbox become notes, and are taken out of it', async () => {
  const all = await Promise.all(Array.from({ length: 3 }, aWriter));
  for (const [nth, { envelope }] of all.entries()) imap.append(plain(envelope, `note ${nth}`));
  await emptied();
  for (const { ticketId } of all) await eventually(() => expect(tickets.ofTicket(ticketId)).toHaveLength(1));
});

test('one e-mail that comes in both ways, or is read again, is one note', async () => {
  const { ticketId, envelope } = await aWriter();
  const raw = plain({ ...envelope, id: 'both@program.test' }, 'Once.');
  await identity.call('POST', '/mail/inbound', { raw, headers: { 'x-mail-secret': inboundSecret } });
  await identity.replica();
  for (let count = 0; count < 2; count += 1) {
    imap.append(`Received: by the mailbox\r\n${raw}`);
    await emptied();
  }
  const waits = { dueAt: { $exists: true } };
  const mails = identity.connection.collection('inbound_mails');
  await eventually(async () => expect(await mails.countDocuments(waits)).toBe(0));
  expect(tickets.ofTicket(ticketId)).toHaveLength(1);
});

test('a mailbox that cannot be read is told by a metric, without its password, and read again once it can be', async () => {
  proxy.refuse();
  await nextReading();
  const warned = () =>
    eventually(() => {
      const said = identity.logger.lines.filter(
        ({ message }) => message === 'the mailbox of answers could not be read',
      );
      expect(said.length).toBeGreaterThan(0);
    });
  await warned();
  later(3_600_000);
  await eventually(async () => expect(await unreadSeconds()).toBeGreaterThanOrEqual(3_600));
  expect(JSON.stringify(identity.logger.lines)).not.toMatch(/p(@|%40)ss/);
  const { ticketId, envelope } = await aWriter();
  imap.append(plain(envelope, 'at last'));
  proxy.heal();
  await emptied();
  await eventually(() => expect(tickets.ofTicket(ticketId)).toHaveLength(1));
  await eventually(async () => expect(await unreadSeconds()).toBeLessThan(60));
});
