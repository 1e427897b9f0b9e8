import { ampleMs, eventually, type MailServer, profiled, type Sent, startMailServer, TcpProxy } from '@app/testing';
import { mailLifetimeMs } from '../../mail/account-mail.ts';
import { type Call, code, goodPassword, useIdentity } from '../identity.ts';

let server: MailServer;
let proxy: TcpProxy;
beforeAll(async () => {
  server = await startMailServer();
  proxy = await TcpProxy.start(server.url);
});
const mail = () => ({ url: proxy.url(server.url), from: 'Accounts <accounts@example.com>', stepMs: ampleMs });
// Longer than these tests: who seems to be dead renews nothing.
const mailLeaseMs = 3_600_000;
const identity = useIdentity(() => ({ mail: mail(), mailLeaseMs }));
/** A process that dies after its response: it sends nothing. */
const dying = useIdentity(() => ({ mail: mail(), mailLeaseMs, works: false }));
afterAll(async () => {
  await proxy.close();
  await server.close();
});
beforeEach(() => {
  server.refuse(null);
  server.hang(false);
});

let count = 0;
const anEmail = () => `somebody-${count++}@acme.test`;
/** Each request has an IP address of its own, unless `headers` names one. */
const reset = (email: string, headers: Record<string, string> = {}, call: Call = identity.call) =>
  call('POST', '/auth/password-reset', {
    body: { email },
    headers: { 'x-forwarded-for': `10.1.${Math.floor(count / 250)}.${count++ % 250}`, ...headers },
  });
const setPassword = (token: string, password = goodPassword) =>
  identity.call('POST', '/auth/password-link', { body: { token, password } });
const tokenIn = (sent: Sent | undefined) => /set-password#([\w-]{43})/.exec(sent?.text ?? '')?.[1] ?? '';
const mailTo = (email: string, nth = 1): Promise<Sent> =>
  eventually(() => {
    expect(server.sentTo(email)).toHaveLength(nth);
    return server.sentTo(email)[nth - 1] as Sent;
  });
const waiting = () => identity.connection.collection('mails').countDocuments();

const mailsTo = (emails: string[], state: object = {}) =>
  Promise.all(emails.map((email) => identity.connection.collection('mails').countDocuments({ email, ...state })));
const dueAfterNow = async (email: string) => {
  const { now } = identity.clock;
  const waits = { email, dueAt: { $gt: now }, expires_at: { $gt: now }, lease: null };
  return (await identity.connection.collection('mails').countDocuments(waits)) === 1;
};

async function anAdmin() {
  const user = await identity.admin();
  return { user, as: (method: string, path: string, body?: unknown) => identity.as(user, method, path, body) };
}
const aPerson = (email: string) => ({ email, first_name: 'Léa', last_name: 'Moreau', permissions: ['tickets'] });

test('a new password goes by e-mail, once for each link, within an hour', async () => {
  const { email } = await identity.user();
  expect(await reset(email.toUpperCase())).toMatchObject({ status: 202, text: '' });
  const first = await mailTo(email);
  expect(first.subject).toBe('Your new password');
  const password = 'a new and better horse';
  expect((await setPassword(tokenIn(first), password)).status).toBe(204);
  expect(code(await setPassword(tokenIn(first)))).toEqual([404, 'password_link_not_found']);
  expect((await identity.logIn(email, password)).token).toBeTruthy();

  await reset(email);
  const second = await mailTo(email, 2);
  await eventually(async () => expect(await mailsTo([email])).toEqual([0]));
  const before = identity.clock.now;
  identity.clock.now = new Date(before.getTime() + 3_600_000);
  expect((await setPassword(tokenIn(second))).status).toBe(404);
  identity.clock.now = before;
  expect((await setPassword(tokenIn(second))).status).toBe(204);
  expect(JSON.stringify(identity.logger.lines)).not.toContain(tokenIn(second));
});

test('whoever is invited, or out, is told no more than that', async () => {
  const { as } = await anAdmin();
  const [invited, gone] = [anEmail(), anEmail()];
  await as('POST', '/company/users', aPerson(invited));
  const { body } = await as('POST', '/company/users', aPerson(gone));
  await Promise.all([mailTo(invited), mailTo(gone)]);
  await as('PATCH', `/company/users/${body['id']}`, { active: false });
  for (const email of [invited, gone]) expect((await reset(email)).status).toBe(202);
  expect(await mailTo(invited, 2)).toMatchObject({ subject: 'Your account at Acme' });
  await eventually(async () => expect(await waiting()).toBe(0));
  expect(server.sentTo(gone)).toHaveLength(1);
});

test.each([
  ['the preference of the user', 'fr-FR', 'en', 'Votre nouveau mot de passe'],
  ['English, if the user prefers it', 'en-GB', 'fr', 'Your new password'],
  ['the language of the browser without one', null, 'fr-CH,de;q=0.9', 'Votre nouveau mot de passe'],
  ['English for all others', 'de', 'fr', 'Your new password'],
])('an e-mail is in %s', async (_, locale, browser, subject) => {
  const { email } = await identity.user();
  const { principal } = await identity.logIn(email);
  await identity.call('PUT', '/auth/preferences', { as: principal, body: { locale } });
  await reset(email, { 'accept-language': browser });
  expect(await mailTo(email)).toMatchObject({ subject });
});

test('nobody learns whether an address is known: answers are alike, and so is what they cost', async () => {
  const asked = [await reset((await dying.user()).email, {}, dying.call)];
  const operations = await profiled(dying, async () => asked.push(await reset(anEmail(), {}, dying.call)));
  expect(operations.filter(({ ns }) => ns.endsWith('.mails'))).toHaveLength(1);
  // The request did not look the address up.
  const lookUps = operations.filter(
    ({ ns, command }) => ns.endsWith('.users') && JSON.stringify(command).includes('email'),
  );
  expect(lookUps).toEqual([]);
  const [one, other] = asked.map(({ status, text, headers }) => ({ status, text, names: [...headers.keys()] }));
  expect(one).toEqual({ ...other, status: 202, text: '' });
  const [{ email: known }, unknown] = [await identity.user(), anEmail()];
  for (const email of [known, unknown]) await reset(email);
  await mailTo(known);
  await eventually(async () => expect(await waiting()).toBe(0));
  expect(server.asked()).not.toContain(unknown);
  for (const email of [known, unknown]) {
    const more = [await reset(email), await reset(email), await reset(email)];
    expect(more.map(({ status }) => status)).toEqual([202, 202, 429]);
    expect(more[2]?.headers.get('retry-after')).toMatch(/^\d+$/);
  }
});

test('from one address no more than 20 are asked for in 15 minutes, and at once', async () => {
  const from = { 'x-forwarded-for': '192.0.2.77' };
  const answers = await Promise.all(Array.from({ length: 30 }, () => reset(anEmail(), from)));
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(20);
  expect(code(await reset(anEmail(), from))).toEqual([429, 'too_many_attempts']);
  expect((await reset(anEmail())).status).toBe(202);
});

test('an e-mail is sent although the process died after its answer', async () => {
  const { email } = await dying.user();
  await reset(email, {}, dying.call);
  expect(await dying.connection.collection('mails').countDocuments({ email })).toBe(1);
  expect(server.sentTo(email)).toEqual([]);
  await dying.replica();
  expect((await mailTo(email)).subject).toBe('Your new password');
});

test('a server that says nothing holds up no answer; what it was sent is sent again by another process', async () => {
  const { email } = await identity.user();
  server.hang(true);
  expect((await reset(email)).status).toBe(202);
  await eventually(() => expect(server.asked()).toContain(email));
  server.hang(false);
  // The lease of the process that waits for the server ends.
  identity.clock.now = new Date(identity.clock.now.getTime() + mailLeaseMs + 1);
  expect((await setPassword(tokenIn(await mailTo(email)))).status).toBe(204);
  // Or the end of the tests would wait for the one that still waits.
  proxy.cut();
});

test('a domain whose e-mails hang holds up no other', async () => {
  const { as } = await anAdmin();
  const invited = Array.from({ length: 20 }, () => `somebody-${count++}@hangs.test`);
  server.hang('hangs.test');
  for (const email of invited) await as('POST', '/company/users', aPerson(email));
  await eventually(() => expect(server.asked()).toContain(invited[0]));
  const { email } = await identity.user();
  await reset(email);
  await mailTo(email);
  // In their order, all of those would have been tried before.
  expect(server.asked()).not.toContain(invited.at(-1));
  // Those that hang would time out, and be tried again, at the end of the tests.
  await identity.connection.collection('mails').deleteMany({ email: { $in: invited } });
  proxy.cut();
});

test('what the server refuses for now is tried again, what it refuses for good is not', async () => {
  const [{ email: later, id: ofLater }, { email: never, id: ofNever }] = [await identity.user(), await identity.user()];
  const refused = (userId: string, givenUp: boolean) =>
    eventually(() =>
      expect(identity.logger.lines).toContainEqual(
        expect.objectContaining({
          message: 'account mail not sent',
          fields: expect.objectContaining({
            userId,
            givenUp,
            reason: expect.stringContaining(givenUp ? '550' : '451'),
          }),
        }),
      ),
    );
  server.refuse(550);
  await reset(never);
  await refused(ofNever, true);
  server.refuse(451);
  await reset(later);
  await refused(ofLater, false);
  server.refuse(null);
  expect(server.sentTo(later)).toEqual([]);
  identity.clock.now = new Date(identity.clock.now.getTime() + 10_000);
  await mailTo(later);
  await eventually(async () => expect(await waiting()).toBe(0));
  expect(server.sentTo(never)).toEqual([]);
});

test('an invitation of a company that is closed meanwhile waits until it is open again; nothing else of it is sent', async () => {
  const { user, as } = await anAdmin();
  const [invited, gone] = [anEmail(), anEmail()];
  server.refuse(451);
  await as('POST', '/company/users', aPerson(invited));
  const { body } = await as('POST', '/company/users', aPerson(gone));
  await reset(user.email);
  const emails = [invited, gone, user.email];
  // Each was tried once, and none is being sent.
  await eventually(async () => expect(await mailsTo(emails, { tries: 1, lease: null })).toEqual([1, 1, 1]));
  const move = (what: string) => identity.byPlatform('POST', `/admin/companies/${user.companyId}/${what}`);
  await move('close');
  await identity.byPlatform('PATCH', `/admin/users/${body['id']}`, { active: false });
  server.refuse(null);
  // Longer than an invitation is tried.
  for (let days = 0; days < 3; days += 1) {
    identity.clock.now = new Date(identity.clock.now.getTime() + mailLifetimeMs.invitation);
    await eventually(async () => expect(await dueAfterNow(invited)).toBe(true));
  }
  await eventually(async () => expect(await mailsTo(emails)).toEqual([1, 0, 0]));
  expect(server.sentTo(invited)).toEqual([]);
  await move('reopen');
  identity.clock.now = new Date(identity.clock.now.getTime() + 300_000);
  expect((await setPassword(tokenIn(await mailTo(invited)))).status).toBe(204);
  expect([server.sentTo(gone), server.sentTo(user.email)]).toEqual([[], []]);
});

test('without a mail server admins get the link, and whoever asks is told so', async () => {
  const off = await identity.replica({ mail: null });
  const { principal } = await identity.admin();
  const invited = await off.call('POST', '/company/users', { as: principal, body: aPerson(anEmail()) });
  expect(invited.body).toMatchObject({ password_link: { token: expect.any(String) } });
  expect(code(await reset(anEmail(), {}, off.call))).toEqual([409, 'email_off']);
});

type Listed = { id: string; invitation?: object };

describe('the invitation of a user', () => {
  const invitationOf = async (as: Awaited<ReturnType<typeof anAdmin>>['as'], id: string) =>
    ((await as('GET', `/company/users/${id}`)).body['invitation'] as { state: string } | undefined)?.state;

  test('goes to the user alone, is seen as sent by admins once the mail server took it, and no more once it is accepted', async () => {
    const { as } = await anAdmin();
    const email = anEmail();
    const { status, body } = await as('POST', '/company/users', aPerson(email));
    expect([status, body]).toMatchObject([201, { email, invited: true, password_link: null }]);
    const id = String(body['id']);
    expect(body['invitation']).toEqual({ state: 'sending', asked_at: identity.clock.now.toISOString() });
    await eventually(async () => expect(await invitationOf(as, id)).toBe('sent'));
    const { items } = (await as('GET', '/company/users')).body as unknown as { items: Listed[] };
    expect(items.find((user) => user.id === id)?.invitation).toMatchObject({ state: 'sent' });
    const sent = await mailTo(email);
    expect(sent).toMatchObject({ from: 'accounts@example.com', to: [email], subject: 'Your account at Acme' });
    expect((await setPassword(tokenIn(sent))).status).toBe(204);
    expect((await identity.logIn(email)).token).toBeTruthy();
    expect(await invitationOf(as, id)).toBeUndefined();
    expect(code(await as('POST', `/company/users/${id}/invitation`))).toEqual([409, 'user_not_invited']);
  });

  test('fails in the sight of admins after 24 hours without a mail server, and can be sent again', async () => {
    const { as } = await anAdmin();
    const email = anEmail();
    server.refuse(451);
    const { body } = await as('POST', '/company/users', aPerson(email));
    const id = String(body['id']);
    await eventually(async () => expect(await dueAfterNow(email)).toBe(true));
    expect(await invitationOf(as, id)).toBe('sending');
    identity.clock.now = new Date(identity.clock.now.getTime() + mailLifetimeMs.invitation);
    await eventually(async () => expect(await invitationOf(as, id)).toBe('failed'));
    server.refuse(null);
    expect(await as('POST', `/company/users/${id}/invitation`)).toMatchObject({
      status: 201,
      body: { id, password_link: null, invitation: { state: 'sending', asked_at: identity.clock.now.toISOString() } },
    });
    await eventually(async () => expect(await invitationOf(as, id)).toBe('sent'));
    expect((await setPassword(tokenIn(await mailTo(email)))).status).toBe(204);
  });

  test('is sent again by an admin of the company alone, to an active user', async () => {
    const [{ as }, stranger] = [await anAdmin(), await identity.logIn((await identity.user(['tickets'])).email)];
    const { body } = await as('POST', '/company/users', aPerson(anEmail()));
    const path = `/company/users/${body['id']}/invitation`;
    expect((await identity.call('POST', path, { as: stranger.principal })).status).toBe(403);
    const elsewhere = await identity.admin();
    expect(code(await identity.as(elsewhere, 'POST', path))).toEqual([404, 'user_not_found']);
    await as('PATCH', `/company/users/${body['id']}`, { active: false });
    expect(code(await as('POST', path))).toEqual([409, 'user_inactive']);
  });
});

describe('invitations', () => {
  const invite = (admin: Awaited<ReturnType<typeof anAdmin>>, email = anEmail()) =>
    admin.as('POST', '/company/users', aPerson(email));
  const refused = [429, 'too_many_attempts'];

  test('are three of an address in 15 minutes, whoever sends them, and twenty of a company', async () => {
    const [one, other] = [await anAdmin(), await anAdmin()];
    const stranger = anEmail();
    const { body } = await invite(one, stranger);
    const again = () => one.as('POST', `/company/users/${body['id']}/invitation`);
    expect((await again()).status).toBe(201);
    expect((await invite(other, stranger)).status).toBe(201);
    const last = await again();
    expect([code(last), Number(last.headers.get('retry-after')) > 800]).toEqual([refused, true]);

    const many = await Promise.all(Array.from({ length: 21 }, () => invite(other)));
    expect(many.filter(({ status }) => status === 201)).toHaveLength(19);
    expect(code(await invite(other))).toEqual(refused);
    expect((await invite(one)).status).toBe(201);
  });

  test('reach the address alone: no admin accepts for somebody, but for addresses of a domain of the company', async () => {
    const { user, as } = await anAdmin();
    const link = (id: unknown) => as('POST', `/company/users/${id}/password-link`);
    const { body: invited } = await as('POST', '/company/users', aPerson(anEmail()));
    expect(code(await link(invited['id']))).toEqual([409, 'user_not_accepted']);
    await identity.byPlatform('PUT', `/admin/companies/${user.companyId}/domains`, { granted: ['acme.test'] });
    expect((await link(invited['id'])).status).toBe(201);
  });

  test('of two companies to an address are two, each with its own link', async () => {
    const email = anEmail();
    for (const admin of [await anAdmin(), await anAdmin()]) expect((await invite(admin, email)).status).toBe(201);
    const tokens = [tokenIn(await mailTo(email, 2)), tokenIn(server.sentTo(email)[0])];
    expect(new Set(tokens).size).toBe(2);
    expect((await setPassword(tokens[0] ?? '')).status).toBe(204);
    expect(code(await setPassword(tokens[1] ?? ''))).toEqual([409, 'email_taken']);
  });
});
