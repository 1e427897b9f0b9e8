import { createRelay } from '@app/messaging';
import { eventually, type MailServer, startMailServer, testLogger } from '@app/testing';
import { createPasswordLinkStore } from '../../administration/password-link-store.ts';
import { createCompanyStore } from '../../companies/company-store.ts';
import { createAccountMailStore } from '../../mail/account-mail-store.ts';
import { createAccountMails } from '../../mail/account-mails.ts';
import { createMailClient } from '../../mail/mail-client.ts';
import { createMailWorker } from '../../mail/mail-worker.ts';
import { createPreferencesStore } from '../../users/preferences-store.ts';
import { createUserStore } from '../../users/user-store.ts';
import { type Admin, goodPassword, useIdentity } from '../identity.ts';

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
});
const mail = () => ({ url: server.url, from: 'accounts@example.com' });
/** What is to be sent waits until a test starts a worker. */
const identity = useIdentity(() => ({ mail: mail(), works: false }));
afterAll(() => server.close());

const mails = () => identity.connection.collection('mails');
const kindsFor = async (email: string) => (await mails().distinct('kind', { email })).sort();
const reset = (email: string) => identity.call('POST', '/auth/password-reset', { body: { email } });
const password = 'a new and better horse';

async function setByLink(admin: Admin): Promise<void> {
  const { body } = await identity.as(admin, 'POST', `/company/users/${admin.id}/password-link`);
  expect(
    (await identity.call('POST', '/auth/password-link', { body: { token: body['token'], password } })).status,
  ).toBe(204);
}

async function changed(admin: Admin): Promise<void> {
  const change = { current_password: goodPassword, new_password: password };
  expect((await identity.as(admin, 'POST', '/auth/password', change)).status).toBe(204);
}

describe.each([
  ['set by a link', setByLink],
  ['changed', changed],
])('once the password is %s', (_, act) => {
  test('no e-mail that waits brings a link any more', async () => {
    const admin = await identity.admin();
    for (let times = 0; times < 3; times += 1) await reset(admin.email);
    expect(await mails().countDocuments({ email: admin.email })).toBe(3);
    await act(admin);
    expect(await mails().countDocuments({ email: admin.email })).toBe(0);
  });

  test('nor does one that is just being written', async () => {
    const admin = await identity.admin();
    await reset(admin.email);
    const writing = Promise.withResolvers<void>();
    const done = Promise.withResolvers<boolean>();
    const worker = aWorker(() => {
      writing.resolve();
      return done.promise;
    });
    worker.start();
    await writing.promise;
    await act(admin);
    done.resolve(true);
    await worker.stop();
    expect(await identity.connection.collection('password_links').countDocuments({ _id: admin.id as never })).toBe(0);
    expect(server.sentTo(admin.email)).toEqual([]);
  });
});

/** A worker that stops, before it makes a link, to ask whether the user may have a password. */
function aWorker(allowsPassword: () => Promise<boolean>) {
  const { connection, clock } = identity;
  const logger = testLogger();
  const relay = createRelay({ broker: { publish: async () => undefined }, logger });
  const { source } = createAccountMails({
    mails: createAccountMailStore({ connection }),
    users: createUserStore({ connection, relay }),
    companies: createCompanyStore({ connection, relay }),
    preferences: createPreferencesStore({ connection }),
    passwordLinks: createPasswordLinkStore({ connection }),
    transaction: (work) => connection.transaction(work),
    client: createMailClient(mail()),
    publicUrl: 'https://ts.example/',
    logger,
    now: () => clock.now,
    allowsPassword,
  });
  return createMailWorker({ sources: [source], logger, now: () => clock.now });
}

test('a forgotten password leads into none of several companies that have invited an address, and none removes it', async () => {
  const email = 'somebody@acme.test';
  const person = { email, first_name: 'Léa', last_name: 'Moreau', permissions: ['tickets'] };
  const invite = async () => identity.as(await identity.admin(), 'POST', '/company/users', person);
  await invite();
  await reset(email);
  await invite();
  expect(await kindsFor(email)).toEqual(['invitation', 'password_reset']);
  await identity.replica({ works: true });
  await eventually(async () => expect(await mails().countDocuments({ email })).toBe(0));
  expect(server.sentTo(email)).toHaveLength(2);
});
