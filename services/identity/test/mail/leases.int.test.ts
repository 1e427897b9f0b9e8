import { notification } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { ampleMs, eventually, type MailServer, startMailServer, testBroker } from '@app/testing';
import { createReplyAddresses } from '../../mail/inbound/reply-address.ts';
import { aKey, useIdentity } from '../identity.ts';
import { plain } from './inbound/mail-programs.ts';
import { startTicketApi, type TicketApiStandIn } from './inbound/ticket-api.ts';

const [domain, inboundSecret] = ['reply.test', 'a secret of the mail server'];
const sessionKeys = [aKey('first')];
const mailLeaseMs = 300;
let server: MailServer;
let tickets: TicketApiStandIn;
beforeAll(async () => {
  server = await startMailServer();
  tickets = await startTicketApi();
});
/** Nothing is worked on until the test has added all. */
const identity = useIdentity(() => ({
  mail: { url: server.url, from: 'accounts@example.com', stepMs: ampleMs },
  answers: { domain, gatewayUrl: tickets.url, inboundSecret },
  sessionKeys,
  mailLeaseMs,
  works: false,
}));
afterAll(async () => {
  await tickets.close();
  await server.close();
});

/** Where e-mails wait, and when those are due that somebody works on. */
const queues = [
  ['mails', 'lease', 'dueAt'],
  ['inbound_mails', 'lease', 'dueAt'],
  ['notifications', 'mail.lease', 'mail.due_at'],
] as const;
const each = 5;
const counted = (filter: (lease: string, due: string) => object) =>
  Promise.all(
    queues.map(([name, lease, due]) => identity.connection.collection(name).countDocuments(filter(lease, due))),
  );

test('while servers take longer than a lease for each of a batch, no other process begins with any of it', async () => {
  const admin = await identity.admin();
  const reader = await identity.user(['tickets'], admin.companyId);
  const others = await Promise.all([...Array(each)].map(() => identity.user(['tickets'], admin.companyId)));
  const ticketId = newId();
  const to = createReplyAddresses({ keys: sessionKeys, domain }).addressOf(
    { userId: reader.id, ticketId, kind: 'public' },
    identity.clock.now,
  );
  const broker = await testBroker(identity.namespace);
  for (const { email } of others) {
    await identity.call('POST', '/auth/password-reset', { body: { email } });
    const raw = plain({ from: reader.email, to }, `answer of ${email}`);
    await identity.call('POST', '/mail/inbound', { raw, headers: { 'x-mail-secret': inboundSecret } });
    const what = { company_id: admin.companyId, kind: 'mention' as const, key: email };
    const told = notification({ ...what, to: { user_ids: [reader.id], place_ids: null } }, identity.clock.now);
    await broker.publish(toCloudEvents('ticket', [told]));
  }
  await eventually(async () => expect(await counted((_, due) => ({ [due]: { $gt: new Date(0) } }))).toEqual([5, 5, 5]));

  const release = server.hold();
  const answers = Promise.withResolvers<void>();
  let posts = 0;
  tickets.beforeAnswer(() => {
    posts += 1;
    return answers.promise;
  });
  for (let replicas = 0; replicas < 2; replicas++) await identity.replica({ works: true });
  const { clock } = identity;
  for (let step = 0; step < 2; step++) {
    const until = new Date(clock.now.getTime() + mailLeaseMs);
    const held = (lease: string, due: string) => ({ [lease]: { $type: 'string' }, [due]: until });
    await eventually(async () => expect(await counted(held)).toEqual([5, 5, 5]));
    clock.now = new Date(clock.now.getTime() + 0.9 * mailLeaseMs);
  }
  release();
  answers.resolve();
  await eventually(async () => expect(await counted((lease) => ({ [lease]: { $type: 'string' } }))).toEqual([0, 0, 0]));
  expect(others.map(({ email }) => server.asked().filter((one) => one === email).length)).toEqual(others.map(() => 1));
  expect(server.asked().filter((one) => one === reader.email)).toHaveLength(each);
  expect([posts, tickets.ofTicket(ticketId).length]).toEqual([each, each]);
  await broker.close();
});
