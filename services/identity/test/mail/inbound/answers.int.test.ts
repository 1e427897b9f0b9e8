import { newId } from '@app/kernel';
import { eventually, type MailServer, startMailServer } from '@app/testing';
import { createReplyAddresses, type ReplyKind, type ReplyTarget } from '../../../mail/inbound/reply-address.ts';
import { countInbound } from '../../../mail/mail-metrics.ts';
import { aKey, code, useIdentity } from '../../identity.ts';
import { deep, plain, png, report, samples, withFiles } from './mail-programs.ts';
import { startTicketApi, type TicketApiStandIn } from './ticket-api.ts';

const domain = 'reply.test';
const inboundSecret = 'a secret of the mail server';
const sessionKeys = [aKey('first')];
const addresses = createReplyAddresses({ keys: sessionKeys, domain });

let server: MailServer;
let tickets: TicketApiStandIn;
beforeAll(async () => {
  server = await startMailServer();
  tickets = await startTicketApi();
});
const settings = () => ({
  mail: { url: server.url, from: 'Facility <accounts@example.com>' },
  answers: { domain, gatewayUrl: tickets.url, inboundSecret },
  // Longer than these tests: who seems to be dead renews nothing.
  mailLeaseMs: 3_600_000,
  sessionKeys,
});
const identity = useIdentity(settings);
/** A process that takes e-mails and does nothing with them. */
const idle = useIdentity(() => ({ ...settings(), works: false }));
afterAll(async () => {
  await tickets.close();
  await server.close();
});
beforeEach(() => {
  tickets.refuse(null);
  tickets.beforeAnswer(async () => undefined);
});

const deliver = (raw: string, { secret = inboundSecret, on = identity } = {}) =>
  on.call('POST', '/mail/inbound', { raw, headers: { 'content-type': 'message/rfc822', 'x-mail-secret': secret } });
const inbox = (on = identity) => on.connection.collection<{ _id: string }>('inbound_mails');
const settled = (on = identity) =>
  eventually(async () => expect(await inbox(on).countDocuments({ dueAt: { $exists: true } })).toBe(0));
/** A user with a ticket, and the address of answers about it. */
async function aWriter(kind: ReplyKind = 'public', on = identity) {
  const user = await on.user(['tickets']);
  const ticketId = newId();
  const to = addresses.addressOf({ userId: user.id, ticketId, kind }, on.clock.now);
  return { user, ticketId, envelope: { from: user.email, to } };
}

test.each(['public', 'internal', 'managers'] as const)(
  'an answer to what is %s becomes such a note of its writer',
  async (kind) => {
    const { user, ticketId, envelope } = await aWriter(kind);
    expect((await deliver(plain(envelope, 'Fixed.'))).status).toBe(202);
    await settled();
    const [note, ...others] = tickets.ofTicket(ticketId);
    expect(others).toEqual([]);
    expect(note?.path).toBe(`/api/v3.0/tickets/${ticketId}/notes`);
    expect(JSON.parse(note?.body ?? '')).toEqual({ note: 'Fixed.', type: kind });
    // The session was the user's, and has ended.
    expect(await identity.isValid(note?.bearer ?? '', 'ticket')).toBe(false);
    const sub = JSON.parse(Buffer.from(note?.bearer.split('.')[1] ?? '', 'base64url').toString()).sub;
    expect(sub).toBe(user.id);
    expect(server.sentTo(user.email)).toEqual([]);
  },
);

test('answers of all mail programs become notes, their files documents that are shared as the note is', async () => {
  const { ticketId, envelope } = await aWriter();
  const all = samples(envelope);
  for (const { mime } of all) await deliver(mime);
  await settled();
  const notes = tickets.ofTicket(ticketId).filter(({ path }) => path.endsWith('/notes'));
  expect(notes.map(({ body }) => JSON.parse(body).note as string).toSorted()).toEqual(
    all.map(({ words }) => words).toSorted(),
  );
  const documents = tickets.ofTicket(ticketId).filter(({ path }) => path.endsWith('/documents'));
  expect(documents).toHaveLength(1);
  expect(documents[0]?.body).toContain('filename="photo.png"');
  expect(documents[0]?.body).toMatch(/name="visibility"\r\n\r\nshared/);
});

test('the same e-mail gives one note, however often and however it comes', async () => {
  const { ticketId, envelope } = await aWriter();
  const mime = plain({ ...envelope, id: 'once@program.test' }, 'Once.');
  await Promise.all([deliver(mime), deliver(mime), deliver(`Received: from another way\r\n${mime}`)]);
  await settled();
  await deliver(mime);
  await settled();
  expect(tickets.ofTicket(ticketId)).toHaveLength(1);
});

test('a process that dies after the note was written leaves the next one nothing to write twice', async () => {
  const { ticketId, envelope } = await aWriter();
  // The answer never arrives: all that a process that died leaves is the note, and the lease of its e-mail.
  let asked = 0;
  tickets.beforeAnswer(() => {
    asked += 1;
    return asked === 1 ? new Promise(() => undefined) : Promise.resolve();
  });
  await deliver(plain(envelope, 'Once.'));
  await eventually(() => expect(asked).toBe(1));
  identity.clock.now = new Date(identity.clock.now.getTime() + 3_600_001);
  await settled();
  expect(asked).toBe(2);
  expect(tickets.ofTicket(ticketId)).toHaveLength(1);
});

test('what a process took that died at once is dealt with by another', async () => {
  const { ticketId, envelope } = await aWriter('public', idle);
  await deliver(plain(envelope, 'Later.'), { on: idle });
  expect(tickets.ofTicket(ticketId)).toEqual([]);
  await idle.replica();
  await settled(idle);
  expect(tickets.ofTicket(ticketId)).toHaveLength(1);
});

test('while the ticket API is away an answer waits, and is refused after half a day', async () => {
  const [{ ticketId, envelope }, later] = [await aWriter(), await aWriter()];
  tickets.refuse({ status: 503, code: 'overloaded', what: '/notes' });
  await deliver(plain(envelope, 'Soon.'));
  const tried = (tries: number) =>
    eventually(async () =>
      expect(await inbox().countDocuments({ tries, lease: null, dueAt: { $exists: true } })).toBe(1),
    );
  await tried(1);
  tickets.refuse(null);
  identity.clock.now = new Date(identity.clock.now.getTime() + 10_000);
  await settled();
  expect(tickets.ofTicket(ticketId)).toHaveLength(1);
  tickets.refuse({ status: 503, code: 'overloaded', what: '/notes' });
  await deliver(plain(later.envelope, 'Never.'));
  await tried(1);
  identity.clock.now = new Date(identity.clock.now.getTime() + 12 * 3_600_000);
  await settled();
  await eventually(() => expect(server.sentTo(later.user.email)[0]?.text).toContain('half a day'));
});

/** The same address, as it was made 181 days ago. */
function aged(to: string): string {
  const { now } = identity.clock;
  const target = addresses.read(addresses.tokenIn(to) ?? '', now) as ReplyTarget;
  return addresses.addressOf(target, new Date(now.getTime() - 181 * 24 * 3_600_000));
}

test('to an address that nobody made no answer goes: whoever is named as its sender may not have sent it', async () => {
  const { user, envelope } = await aWriter();
  await deliver(plain({ ...envelope, to: `reply+${'a'.repeat(58)}@${domain}` }, 'Hi'));
  await settled();
  expect(await inbox().countDocuments({ dueAt: { $exists: true } })).toBe(0);
  expect(await identity.connection.collection('mails').countDocuments({ email: user.email })).toBe(0);
});

describe('a refused answer tells its sender why', () => {
  const toldTo = (address: string) =>
    eventually(() => {
      expect(server.sentTo(address)).toHaveLength(1);
      return server.sentTo(address)[0]?.text ?? '';
    });

  test('from another address than that of the user', async () => {
    const { user, ticketId, envelope } = await aWriter();
    const stranger = `${newId()}@elsewhere.test`;
    await deliver(plain({ ...envelope, from: stranger }, 'Let me in.'));
    expect(await toldTo(stranger)).toContain('that our e-mail was sent to alone');
    expect([tickets.ofTicket(ticketId), server.sentTo(user.email)]).toEqual([[], []]);
  });

  test('once, however many there are', async () => {
    const { user, envelope } = await aWriter();
    for (let count = 0; count < 3; count += 1) await deliver(plain(envelope, '> quoted'));
    await settled();
    expect(await toldTo(user.email)).toContain('nothing in it besides');
    await deliver(plain(envelope, ''));
    await settled();
    expect(await identity.connection.collection('mails').countDocuments({ email: user.email })).toBe(1);
    expect(server.sentTo(user.email)).toHaveLength(1);
    identity.clock.now = new Date(identity.clock.now.getTime() + 24 * 3_600_000);
    await deliver(plain(envelope, ''));
    await eventually(() => expect(server.sentTo(user.email)).toHaveLength(2));
  });

  test.each<[string, string, (e: { from: string; to: string }) => string]>([
    ['to an address of half a year ago', 'for 180 days', (e) => plain({ ...e, to: aged(e.to) }, 'Hi')],
    ['too long', '10,000', (e) => plain(e, 'word '.repeat(2_001))],
    ['what is nested too deeply', 'It could not be read', (e) => deep(e, 60)],
    ['what would cost more memory than there is', 'It could not be read', (e) => plain(e, '\n'.repeat(9_900_000))],
  ])('%s', async (_what, text, mime) => {
    const { user, envelope } = await aWriter();
    await deliver(mime(envelope));
    expect(await toldTo(user.email)).toContain(text);
  });

  test.each([
    [409, 'ticket_transition_forbidden'],
    [404, 'ticket_not_found'],
    [403, 'forbidden'],
  ])('on a ticket that answers %i %s', async (status, refused) => {
    const { user, envelope } = await aWriter();
    tickets.refuse({ status, code: refused, what: '/notes' });
    await deliver(plain(envelope, 'Hello?'));
    expect(await toldTo(user.email)).toContain('may not write on this ticket');
  });

  test('a user who is out, in the language that was chosen', async () => {
    const { user, envelope, ticketId } = await aWriter();
    const { principal } = await identity.logIn(user.email);
    await identity.call('PUT', '/auth/preferences', { as: principal, body: { locale: 'fr-FR' } });
    await identity.byPlatform('PATCH', `/admin/users/${user.id}`, { active: false });
    await deliver(plain(envelope, 'Still there?'));
    expect(await toldTo(user.email)).toContain('tant que son compte');
    expect(tickets.ofTicket(ticketId)).toEqual([]);
  });

  test('of files alone: the note is there', async () => {
    const { user, envelope, ticketId } = await aWriter('internal');
    tickets.refuse({ status: 415, code: 'file_type', what: '/documents' });
    await deliver(withFiles(envelope, 'See.', [{ name: 'plan.dwg', type: 'image/vnd.dwg', content: png(10) }]));
    expect(await toldTo(user.email)).toContain('- plan.dwg');
    expect(tickets.ofTicket(ticketId).map(({ path }) => path.split('/').at(-1))).toEqual(['notes']);
  });

  test('of files with a note for managers, which colleagues would see', async () => {
    const { user, envelope, ticketId } = await aWriter('managers');
    await deliver(withFiles(envelope, 'Secret.', [{ name: 'offer.pdf', type: 'application/pdf', content: png(10) }]));
    expect(await toldTo(user.email)).toContain('- offer.pdf');
    expect(tickets.ofTicket(ticketId)).toHaveLength(1);
  });
});

test.each<[string, (e: { from: string; to: string }) => string]>([
  ['an absence', (e) => plain({ ...e, headers: ['Auto-Submitted: auto-replied'] }, 'I am away')],
  ['an e-mail of ours that came back', (e) => plain({ ...e, headers: ['Auto-Submitted: auto-generated'] }, 'Hello')],
  ['a report to an address for answers', (e) => report(e, 'failed')],
  ['what is sent to no address of ours', (e) => plain({ ...e, to: `sales@${domain}` }, 'Buy!')],
])('nobody is told anything about %s, and there is no note', async (_what, mime) => {
  const { user, ticketId, envelope } = await aWriter();
  await deliver(mime(envelope));
  await settled();
  await eventually(async () =>
    expect(await identity.connection.collection('mails').countDocuments({ dueAt: { $exists: true } })).toBe(0),
  );
  expect([tickets.ofTicket(ticketId), server.sentTo(user.email)]).toEqual([[], []]);
});

test('e-mails are taken with the secret alone, of at most 10 MB', async () => {
  const { envelope } = await aWriter();
  const before = await inbox().countDocuments();
  expect(code(await deliver(plain(envelope, 'x'), { secret: 'a guess' }))).toEqual([401, 'mail_secret_wrong']);
  expect((await deliver(plain(envelope, 'x'.repeat(10 * 1024 * 1024)))).status).toBe(413);
  expect(await inbox().countDocuments()).toBe(before);
  const off = await identity.replica({ answers: null });
  const headers = { 'content-type': 'message/rfc822', 'x-mail-secret': '' };
  expect((await off.call('POST', '/mail/inbound', { raw: plain(envelope, 'x'), headers })).status).toBe(401);
});

test('an address that bounces is shown to admins, until an answer comes from it', async () => {
  const admin = await identity.admin();
  const user = await identity.user(['tickets'], admin.companyId);
  const seen = async () => (await identity.as(admin, 'GET', `/company/users/${user.id}`)).body['mail_bounced_at'];
  expect(await seen()).toBeNull();
  const at = identity.clock.now;
  const bounce = {
    from: 'mailer-daemon@mx.test',
    to: addresses.addressOf({ userId: user.id, ticketId: null, kind: 'bounce' }, at),
  };
  await deliver(report(bounce, 'delayed'));
  await settled();
  expect(await seen()).toBeNull();
  const bounces = async () =>
    (await countInbound.get()).values.find(({ labels }) => labels.result === 'bounced')?.value ?? 0;
  const before = await bounces();
  await deliver(report(bounce, 'failed'));
  await settled();
  expect(await seen()).toBe(at.toISOString());
  await eventually(async () => expect(await bounces()).toBe(before + 1));
  const to = addresses.addressOf({ userId: user.id, ticketId: newId(), kind: 'public' }, at);
  await deliver(plain({ from: user.email, to }, 'I am here.'));
  await settled();
  expect(await seen()).toBeNull();
});

test('what is kept of an e-mail holds nothing of it, and nothing of whoever is erased', async () => {
  const { user, envelope } = await aWriter('public', idle);
  await deliver(plain(envelope, 'A word.'), { on: idle });
  expect(await inbox(idle).countDocuments({ user_id: user.id, raw: { $exists: true } })).toBe(1);
  await idle.byPlatform('POST', `/admin/users/${user.id}/erase`);
  expect(await inbox(idle).countDocuments({ user_id: user.id })).toBe(0);
  const { envelope: other } = await aWriter();
  await deliver(plain(other, 'A word.'));
  await settled();
  expect(await inbox().countDocuments({ $or: [{ raw: { $exists: true } }, { token: { $exists: true } }] })).toBe(0);
});
