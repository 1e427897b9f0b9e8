import {
  type NotificationKind,
  type NotificationRaised,
  notification,
  notificationReadersChanged,
  type Permission,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { type Broker, toCloudEvents } from '@app/messaging';
import { eventually, type MailServer, type Sent, startMailServer, TcpProxy, testBroker } from '@app/testing';
import PostalMime from 'postal-mime';
import { countSent } from '../../../mail/mail-metrics.ts';
import { aKey, code, useAdmin, useIdentity } from '../../identity.ts';
import { plain, report } from '../inbound/mail-programs.ts';
import { startTicketApi, type TicketApiStandIn } from '../inbound/ticket-api.ts';

const domain = 'reply.test';
const inboundSecret = 'a secret of the mail server';
const sessionKeys = [aKey('first')];
const hourMs = 3_600_000;
let server: MailServer;
let proxy: TcpProxy;
let tickets: TicketApiStandIn;
beforeAll(async () => {
  server = await startMailServer();
  proxy = await TcpProxy.start(server.url);
  tickets = await startTicketApi();
});
const identity = useIdentity(() => ({
  mail: { url: proxy.url(server.url), from: 'Facility <accounts@example.com>' },
  answers: { domain, gatewayUrl: tickets.url, inboundSecret },
  mailsPerDay: 40,
  // Longer than these tests: who seems to be dead renews nothing.
  mailLeaseMs: hourMs,
  sessionKeys,
}));
const admin = useAdmin(identity);
let broker: Broker;
beforeAll(async () => {
  broker = await testBroker(identity.namespace);
});
afterAll(async () => {
  await broker.close();
  await tickets.close();
  await proxy.close();
  await server.close();
});
beforeEach(() => {
  server.refuse(null);
  server.refuseSender(null);
  server.hang(false);
});

const dayMs = 24 * hourMs;
const later = (ms: number) => {
  identity.clock.now = new Date(identity.clock.now.getTime() + ms);
};
const stored = () => identity.connection.collection('notifications');
const waiting = (userId: string) => stored().countDocuments({ user_id: userId, mail: { $ne: null } });
const aTicket = () => ({ id: newId(), number: 'T-000042', title: 'Leak <b>at</b> night' });

type Person = Awaited<ReturnType<typeof aPerson>>;
async function aPerson(permissions: Permission[] = ['tickets'], companyId = admin.companyId) {
  const user = await identity.user(permissions, companyId);
  const login = await identity.logIn(user.email);
  const choose = (kinds: object) => identity.as(login, 'PUT', '/notifications/settings', { kinds });
  return { ...user, companyId, login, choose };
}
/** One who gets that kind by e-mail in that way. */
async function reader(email: string, kind: NotificationKind = 'note', permissions: Permission[] = ['tickets']) {
  const person = await aPerson(permissions);
  expect((await person.choose({ [kind]: { console: true, email } })).status).toBe(200);
  return person;
}
const raise = (to: Person, more: Partial<NotificationRaised> = {}) => {
  const recipients = { user_ids: [to.id], manager_ids: [to.id], place_ids: null };
  const what = { company_id: to.companyId, kind: 'note' as const, key: newId(), to: recipients, ticket: aTicket() };
  return broker.publish(toCloudEvents('ticket', [notification({ ...what, ...more }, identity.clock.now)]));
};
const mailTo = ({ email }: Person, nth = 1): Promise<Sent> =>
  eventually(() => {
    expect(server.sentTo(email)).toHaveLength(nth);
    return server.sentTo(email)[nth - 1] as Sent;
  });
async function parsed({ raw }: Sent) {
  const email = await PostalMime.parse(raw);
  const header = (name: string) => email.headers.find(({ key }) => key === name)?.value;
  return { ...email, text: email.text ?? '', html: email.html ?? '', header };
}
const added = (person: Person, count: number) =>
  eventually(async () => expect(await stored().countDocuments({ user_id: person.id })).toBe(count));

test('a note comes by e-mail, in both forms, and its answer becomes a note that the same people read', async () => {
  const [person, author] = [await reader('now'), await aPerson()];
  const ticket = aTicket();
  const text = `Look at <this>, @[Ada Martin](user:${person.id})`;
  const actor = { id: author.id, firstName: 'x', lastName: 'y' };
  await raise(person, { ticket, text, actor, visibility: 'managers' });
  const email = await parsed(await mailTo(person));
  expect(email.subject).toBe('[T-000042] Leak <b>at</b> night');
  expect(email.text).toContain('Ada Martin wrote a note');
  expect(email.text).toContain('Look at <this>, @Ada Martin');
  expect(email.text).toContain(`https://ts.example/console/tickets/${ticket.id}`);
  expect(email.html).toContain('Look at &lt;this&gt;, @Ada Martin');
  expect(email.html).not.toMatch(/<b>at<\/b>|<img|<script/);
  const replyTo = email.replyTo?.[0]?.address ?? '';
  expect(replyTo).toMatch(/^reply\+[0-9a-v]{58}@reply\.test$/);
  const quoted = email.text.split('\n').map((line) => `> ${line}`);
  const answer = ['Done.', '', 'On Sat, Nov 28, 2026, Facility wrote:', ...quoted].join('\r\n');
  const raw = plain({ from: person.email, to: replyTo }, answer);
  await identity.call('POST', '/mail/inbound', { raw, headers: { 'x-mail-secret': inboundSecret } });
  await eventually(() => expect(tickets.ofTicket(ticket.id)).toHaveLength(1));
  expect(JSON.parse(tickets.ofTicket(ticket.id)[0]?.body ?? '')).toEqual({ note: 'Done.', type: 'managers' });
});

test('e-mails about a ticket are one conversation, each of its own', async () => {
  const person = await reader('now');
  const ticket = aTicket();
  await raise(person, { ticket, text: 'one', visibility: 'shared' });
  const one = await parsed(await mailTo(person));
  await raise(person, { ticket, kind: 'mention', text: 'two', visibility: 'shared' });
  const two = await parsed(await mailTo(person, 2));
  expect(two).toMatchObject({ subject: one.subject, references: one.references, inReplyTo: one.references });
  expect(one.references).toBe(`<ticket.${ticket.id}.${person.id}@example.com>`);
  expect(two.messageId).not.toBe(one.messageId);
});

test.each<[NotificationKind, Permission, Partial<NotificationRaised>, string]>([
  ['date', 'tickets', { text: '2026-11-30T08:00:00.000Z' }, 'lundi 30 novembre 2026'],
  ['quote', 'tickets', { text: 'Q-7' }, 'Un devis attend votre décision : Q-7'],
  [
    'due_soon',
    'tickets',
    { text: 'finish 2026-11-30T10:40:00.000Z' },
    'Une échéance approche : fin attendue le lundi 30 novembre 2026 à 11:40',
  ],
  [
    'overdue',
    'tickets',
    { text: 'response 2026-11-30T10:40:00.000Z' },
    'Une échéance est dépassée : réponse attendue le lundi 30 novembre 2026 à 11:40',
  ],
  [
    'endpoint_fails',
    'api_webhooks',
    { endpoint: { id: newId(), host: 'erp.example' } },
    'n’arrivent plus à erp.example',
  ],
  ['invoice_waits', 'accounting', { invoice: { id: newId(), number: '' } }, 'Une facture vous attend'],
])('%s is told in the language of the user', async (kind, permission, what, words) => {
  const person = await reader('now', kind, [permission]);
  await identity.call('PUT', '/auth/preferences', { as: person.login.principal, body: { locale: 'fr-FR' } });
  const hasTicket = !what.endpoint && !what.invoice;
  await raise(person, { kind, ...what, ...(hasTicket ? {} : { ticket: undefined as never }) });
  const email = await parsed(await mailTo(person));
  expect(email.text).toContain(words);
  expect(email.replyTo !== undefined).toBe(hasTicket);
});

test('a digest has all that is due, once, and nothing comes before', async () => {
  const person = await reader('daily');
  for (const text of ['one', 'two', 'three']) await raise(person, { text });
  await added(person, 3);
  expect(server.sentTo(person.email)).toEqual([]);
  later(dayMs);
  const email = await parsed(await mailTo(person));
  expect(email.subject).toBe('Your day: 3 notifications');
  for (const text of ['one', 'two', 'three']) expect(email.text).toContain(text);
  await eventually(async () => expect(await waiting(person.id)).toBe(0));
  await raise(person, { text: 'four' });
  await added(person, 4);
  later(dayMs);
  expect((await parsed(await mailTo(person, 2))).text).not.toContain('three');
});

test.each([
  ['en', 103, 'Your day: 103 notifications', 'and 3 more in your list'],
  ['fr', 101, 'Votre journée : 101 notifications', 'et 1 autre dans votre liste'],
])('a digest in %s has at most 100 of %i, and says where the others are', async (locale, count, subject, rest) => {
  const person = await reader('daily');
  await identity.call('PUT', '/auth/preferences', { as: person.login.principal, body: { locale } });
  const keys = Array.from({ length: count }, (_, nth) => `note ${nth};`);
  const [first = '', ...others] = keys;
  await raise(person, { text: first });
  await added(person, 1);
  // As many as that have to wait, but need not come by the broker.
  const one = await stored().findOne({ user_id: person.id });
  const copies = others.map((text) => ({ ...one, _id: newId() as never, key: newId(), ticket: aTicket(), text }));
  await stored().insertMany(copies);
  later(dayMs);
  const email = await parsed(await mailTo(person));
  expect(email.subject).toBe(subject);
  for (const form of [email.text, email.html]) {
    expect(keys.filter((text) => form.includes(text))).toHaveLength(100);
    expect(form).toContain(rest);
    expect(form).toContain('https://ts.example/console/notifications');
  }
  await eventually(async () => expect(await waiting(person.id)).toBe(0));
  expect(server.sentTo(person.email)).toHaveLength(1);
});

test('a process that dies while the server says nothing leaves the e-mail to another: it comes once', async () => {
  const person = await reader('now');
  server.hang(true);
  await raise(person);
  await eventually(() => expect(server.asked()).toContain(person.email));
  await identity.replica();
  server.hang(false);
  later(hourMs + 1);
  await mailTo(person);
  await eventually(async () => expect(await waiting(person.id)).toBe(0));
  // The one that still waits fails, and finds that it is no longer its own.
  proxy.cut();
  await eventually(() =>
    expect(identity.logger.lines).toContainEqual(
      expect.objectContaining({
        message: 'notification not sent',
        fields: expect.objectContaining({ userId: person.id }),
      }),
    ),
  );
  expect(await waiting(person.id)).toBe(0);
  later(hourMs + 1);
  await raise(person, { text: 'a later one' });
  expect((await mailTo(person, 2)).raw).toContain('a later one');
});

test('what the server took before its process died comes again under the same Message-ID', async () => {
  const person = await reader('now');
  await raise(person);
  const first = await parsed(await mailTo(person));
  await eventually(async () => expect(await waiting(person.id)).toBe(0));
  // As if the process had died before it noted that.
  const mail = { mode: 'now', due_at: identity.clock.now, lease: 'of the dead' };
  await stored().updateOne({ user_id: person.id }, { $set: { mail } });
  expect((await parsed(await mailTo(person, 2))).messageId).toBe(first.messageId);
});

test('what the server refuses for now comes later; for good, admins see that the address bounces', async () => {
  const [soon, never] = [await reader('now'), await reader('now')];
  server.refuse(451);
  await raise(soon);
  await eventually(async () => expect(await stored().countDocuments({ user_id: soon.id, 'mail.tries': 1 })).toBe(1));
  server.refuse(550);
  const failed = async () =>
    (await countSent.get()).values.find(({ labels }) => labels.result === 'failed')?.value ?? 0;
  const before = await failed();
  await raise(never);
  const seen = async ({ id }: Person) =>
    (await identity.as(admin, 'GET', `/company/users/${id}`)).body['mail_bounced_at'];
  await eventually(async () => expect(await seen(never)).toBe(identity.clock.now.toISOString()));
  await eventually(async () => expect(await failed()).toBe(before + 1));
  server.refuse(null);
  later(10_000);
  await mailTo(soon);
  expect(await seen(soon)).toBeNull();
  // A week later an e-mail arrives, and none has come back.
  later(8 * dayMs);
  await raise(never);
  await mailTo(never);
  await eventually(async () => expect(await seen(never)).toBeNull());
});

test('that the server refuses us as a sender says nothing of the address: it is tried again', async () => {
  const person = await reader('now');
  server.refuseSender(550);
  await raise(person);
  await eventually(async () => expect(await stored().countDocuments({ user_id: person.id, 'mail.tries': 1 })).toBe(1));
  const { body } = await identity.as(admin, 'GET', `/company/users/${person.id}`);
  expect(body['mail_bounced_at']).toBeNull();
  server.refuseSender(null);
  later(10_000);
  await mailTo(person);
});

test('an e-mail that comes back marks its user, whatever address it is reported for', async () => {
  const person = await reader('now');
  await raise(person);
  const { from } = await mailTo(person);
  expect(from).toMatch(/^reply\+[0-9a-v]{58}@reply\.test$/);
  const raw = report({ from: 'mailer-daemon@mx.test', to: from }, 'failed');
  await identity.call('POST', '/mail/inbound', { raw, headers: { 'x-mail-secret': inboundSecret } });
  const bounced = { mail_bounced_at: { $exists: true }, email: person.email };
  await eventually(async () => expect(await identity.connection.collection('users').countDocuments(bounced)).toBe(1));
});

describe('the link that ends e-mails of a kind', () => {
  const linkIn = async (sent: Sent) => {
    const { header } = await parsed(sent);
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    return (/<https:\/\/ts\.example(.+)>/.exec(header('list-unsubscribe') ?? '')?.[1] ?? '').replaceAll(/\s/g, '');
  };
  const oneClick = (path: string) =>
    identity.call('POST', path, {
      raw: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      text: true,
    });

  test('asks whoever opens it, and ends them at once for mail programs', async () => {
    const person = await reader('now');
    await raise(person);
    const path = await linkIn(await mailTo(person));
    const page = await identity.call('GET', path, { text: true });
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.text).toContain('<form method="post">');
    const chosen = async () => (await identity.as(person.login, 'GET', '/notifications/settings')).body['kinds'];
    expect(await chosen()).toMatchObject({ note: { console: true, email: 'now' } });
    expect((await oneClick(path)).status).toBe(200);
    expect(await chosen()).toMatchObject({ note: { console: true, email: 'never' }, mention: { email: 'now' } });
    await raise(person);
    await added(person, 2);
    await eventually(async () => expect(await waiting(person.id)).toBe(0));
  });

  test('of a digest ends all that comes in it, also what already waits', async () => {
    const person = await reader('daily');
    await raise(person);
    await added(person, 1);
    later(dayMs);
    const path = await linkIn(await mailTo(person));
    await raise(person);
    await raise(person, { kind: 'overdue' });
    await added(person, 3);
    await oneClick(path);
    later(dayMs);
    await mailTo(person, 2);
    await eventually(async () => expect(await waiting(person.id)).toBe(0));
    const texts = await Promise.all(server.sentTo(person.email).map(async (sent) => (await parsed(sent)).text));
    expect(texts.filter((text) => text.includes('wrote a note'))).toHaveLength(1);
  });

  test('cannot be forged', async () => {
    expect(code(await oneClick('/mail/unsubscribe?token=x.y.z'))).toEqual([404, 'unsubscribe_link_not_found']);
    const session = (await aPerson()).login.token;
    expect((await oneClick(`/mail/unsubscribe?token=${session}`)).status).toBe(404);
  });
});

test('nothing is sent to somebody who is out, or may not get it any more', async () => {
  const [out, less] = [await reader('daily'), await reader('daily')];
  for (const person of [out, less]) await raise(person);
  for (const person of [out, less]) await added(person, 1);
  await identity.byPlatform('PATCH', `/admin/users/${out.id}`, { active: false });
  await identity.byPlatform('PATCH', `/admin/users/${less.id}`, { permissions: ['accounting'] });
  later(dayMs);
  for (const person of [out, less]) await eventually(async () => expect(await waiting(person.id)).toBe(0));
  expect([server.sentTo(out.email), server.sentTo(less.email)]).toEqual([[], []]);
});

test('what somebody may not read any more is not in a digest, and no e-mail is left if that is all', async () => {
  const [here, elsewhere] = [newId(), newId()];
  const [limited, manager] = [await reader('daily'), await reader('daily')];
  const at = (person: Person, place: string) => ({ to: { user_ids: [person.id], place_ids: [place] } });
  const ticket = aTicket();
  const secret = { kind: 'note', ticket, key: `ticket:${ticket.id}:note:1`, visibility: 'managers' } as const;
  await raise(limited, { ...at(limited, here), text: 'seen' });
  await raise(limited, { ...at(limited, elsewhere), text: 'hidden' });
  await raise(manager, { ...secret, to: { user_ids: [manager.id], manager_ids: [manager.id], place_ids: [here] } });
  await added(limited, 2);
  await added(manager, 1);
  await identity.byPlatform('PATCH', `/admin/users/${limited.id}`, { place_ids: [here] });
  const others = { company_id: admin.companyId, ticket_id: ticket.id, manager_ids: [limited.id], place_ids: [here] };
  const change = notificationReadersChanged(others, new Date(identity.clock.now.getTime() + 1));
  await broker.publish(toCloudEvents('ticket', [change]));
  const changed = { user_id: manager.id, manages: false };
  await eventually(async () => expect(await stored().countDocuments(changed)).toBe(1));
  later(dayMs);
  const { subject, text } = await parsed(await mailTo(limited));
  expect([subject, text.includes('seen'), text.includes('hidden')]).toEqual(['Your day: 1 notification', true, false]);
  for (const { id } of [limited, manager]) await eventually(async () => expect(await waiting(id)).toBe(0));
  expect(server.sentTo(manager.email)).toEqual([]);
});

test('beyond its e-mails of a day a company gets digests', async () => {
  later(dayMs);
  const person = await reader('now');
  for (let count = 0; count < 50; count += 1) await raise(person, { text: `note ${count}` });
  await added(person, 50);
  await eventually(async () =>
    expect(await stored().countDocuments({ user_id: person.id, 'mail.mode': 'now' })).toBe(0),
  );
  const atOnce = server.sentTo(person.email).length;
  // Those under way at once may exceed it.
  expect(atOnce).toBeGreaterThanOrEqual(40);
  expect(atOnce).toBeLessThan(50);
  later(dayMs);
  const digest = await parsed(await mailTo(person, atOnce + 1));
  expect(digest.subject).toMatch(/^Your day: \d+ notifications?$/);
});
