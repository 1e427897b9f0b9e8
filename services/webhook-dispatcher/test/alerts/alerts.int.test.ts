import { type UserSnapshot, userChanged, userCreated } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import {
  answer,
  behaviours,
  eventually,
  type MailServer,
  type Receiver,
  startMailServer,
  startReceiver,
} from '@app/testing';
import { aCompany, type Dispatcher, startDispatcher, statusChanged } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

let receiver: Receiver;
let mailServer: MailServer;
let dispatcher: Dispatcher;

const docsUrl = 'https://ts.example.com/docs';
const start = (everyMs = 1, namespace?: string) =>
  startDispatcher({ retryDelaysMs: [] }, namespace, {
    url: mailServer.url,
    from: 'Webhooks <webhooks@example.com>',
    docsUrl,
    everyMs,
    pollEveryMs: 50,
  });

beforeAll(async () => {
  receiver = await startReceiver();
  mailServer = await startMailServer();
  dispatcher = await start();
});
afterAll(async () => {
  await dispatcher.drop();
  await dispatcher.stop();
  await receiver.close();
  await mailServer.close();
});
beforeEach(() => mailServer.refuse(null));

const path = '/webhooks/endpoints';
type Permissions = UserSnapshot['permissions'];

function aUser(company_id: string, permissions: Permissions): UserSnapshot {
  const id = newId();
  const contact = { first_name: 'A', last_name: 'B', email: `${id}@example.com`, phone: null };
  return { id, company_id, ...contact, permissions, active: true, version: 0 };
}

const tell = (by: Dispatcher, ...events: Parameters<typeof toCloudEvents>[1]) =>
  by.publish(...toCloudEvents('identity', events));

/** A company whose endpoint answers everything with status 500, and users who are known here. */
async function subscriber(name: string, permissions: Permissions[] = [['api_webhooks']], by = dispatcher) {
  const company = aCompany();
  const users = permissions.map((granted) => aUser(company.companyId, granted));
  await tell(by, ...users.map((user) => userCreated({ user }, new Date())));
  const known = users.filter(({ permissions: [granted] }) => granted === 'api_webhooks' || granted === 'admin');
  await eventually(async () => {
    const recipients = by.connection.collection('alert_recipients');
    expect(await recipients.countDocuments({ companyId: company.companyId })).toBe(known.length);
  });
  const url = `/${name}?token=hush`;
  receiver.behave(answer(500), url);
  const one = await subscriberOf({ dispatcher: by, receiver }, url, { company });
  const storedAlert = async () =>
    (await by.connection.collection('endpoints').findOne({ companyId: company.companyId }))?.['alert'];
  const mails = () => mailServer.sentTo(String(known[0]?.email));
  return { ...one, url, users, known, storedAlert, mails };
}

const healthy = { active: true, health: 'ok', healthSince: null, lastError: null };

test('who is deactivated or may not manage webhooks any more gets no alert, though an older state comes later', async () => {
  const { company, publish, known } = await subscriber('former', [['admin'], ['admin'], ['admin']]);
  const [kept, deactivated, demoted] = known as [UserSnapshot, UserSnapshot, UserSnapshot];
  await tell(
    dispatcher,
    userChanged({ user: { ...deactivated, active: false, version: 2 } }, new Date()),
    userChanged({ user: { ...demoted, permissions: ['tickets'], active: true, version: 1 } }, new Date()),
  );
  const contacts = dispatcher.connection.collection<{ _id: string }>('alert_recipients');
  const inCompany = () => contacts.countDocuments({ companyId: company.companyId });
  await eventually(async () => expect(await inCompany()).toBe(1));
  const marker = aUser(newId(), ['admin']);
  await tell(
    dispatcher,
    userChanged({ user: { ...deactivated, active: true, version: 1 } }, new Date()),
    ...[demoted, marker].map((user) => userCreated({ user }, new Date())),
  );
  await eventually(async () => expect(await contacts.countDocuments({ _id: marker.id })).toBe(1));
  expect(await inCompany()).toBe(1);
  await publish();
  await eventually(() => expect(mailServer.sentTo(kept.email)).toMatchObject([{ to: [kept.email] }]));
});

test('a failing endpoint is flagged and its company alerted once for each failing period; a 2xx ends it', async () => {
  const one = await subscriber('failing-period', [['api_webhooks'], ['admin'], ['tickets']]);
  const { id, secret, known, url, read, change, publish, storedAlert, mails } = one;
  receiver.behave(answer(503, 'a secret of the receiver'), url);
  expect(await read()).toMatchObject(healthy);
  await publish();
  const [mail] = await eventually(() => {
    expect(mails()).toHaveLength(1);
    return mails();
  });
  expect(await read()).toMatchObject({
    active: true,
    health: 'failing',
    healthSince: expect.stringMatching(/Z$/),
    lastError: 'the receiver answered with a status that is no success (status 503)',
  });
  expect(mail?.to.sort()).toEqual(known.map(({ email }) => email).sort());
  expect(mail?.from).toBe('webhooks@example.com');
  expect(mail?.text).toContain('The webhook endpoint "ERP" is failing since');
  for (const part of ['Host: 127.0.0.1:', id, 'status 503', docsUrl]) expect(mail?.text).toContain(part);
  for (const hidden of ['hush', 'token', secret, 'a secret of the receiver']) {
    expect(mail?.text).not.toContain(hidden);
  }

  await publish(3);
  await eventually(async () => expect(await read()).toMatchObject({ consecutiveFailures: 4 }));
  expect(await storedAlert()).toBeUndefined();
  receiver.behave(behaviours.ok, url);
  await publish();
  await eventually(async () => expect(await read()).toMatchObject(healthy));
  expect(mails()).toHaveLength(1);

  // Events are sent with a copy of the endpoint that may be older than its success; once a change is answered, it is not.
  await change({ name: 'Healthy again' });
  receiver.behave(answer(500), url);
  await publish();
  await eventually(() => expect(mails()).toHaveLength(2));
});

test('one event that cannot be delivered beside others that can is no failing endpoint', async () => {
  const { read, publish, url, arrived, ended, mails, company } = await subscriber('poison');
  const failed = Promise.withResolvers<void>();
  receiver.behave((req, res, received) => {
    if (!String(received.body).includes('poison')) behaviours.ok(req, res, received);
    else void failed.promise.then(() => answer(500)(req, res, received));
  }, url);
  await dispatcher.publish(statusChanged([company.companyId], 'poison'));
  await arrived(1);
  await publish();
  await ended(1, 'succeeded');
  failed.resolve();
  await eventually(async () => expect(await read()).toMatchObject({ consecutiveFailures: 1, health: 'ok' }));
  expect(mails()).toEqual([]);
});

test('a company is alerted of a disabled endpoint and of what to do; activating it again ends that', async () => {
  const { read, change, publish, mails } = await subscriber('disabled-alerted');
  await publish(10);
  await eventually(async () => {
    const lastError = expect.stringContaining('status 500');
    const disabled = { active: false, health: 'disabled', healthSince: expect.stringMatching(/Z$/), lastError };
    expect(await read()).toMatchObject(disabled);
  });
  await eventually(() => {
    const subjects = mails().filter(({ text }) => text.includes('The webhook endpoint "ERP" was disabled on'));
    expect(subjects).toHaveLength(1);
  });
  expect((await change({ active: true })).body).toMatchObject(healthy);
});

test('an endpoint made inactive by hand is healthy, and its alert is dropped', async () => {
  mailServer.refuse(451);
  const { read, change, publish, storedAlert } = await subscriber('by-hand');
  await publish();
  await eventually(async () => expect(await storedAlert()).toMatchObject({ tries: expect.any(Number) }));
  await change({ active: false });
  expect(await read()).toMatchObject({ active: false, health: 'ok', disabledReason: null });
  expect(await storedAlert()).toBeUndefined();
});

test('an e-mail that the mail server refuses for now is retried; one that it refuses for good is given up', async () => {
  mailServer.refuse(451);
  const waiting = await subscriber('refused');
  await waiting.publish();
  await eventually(async () => expect(await waiting.storedAlert()).toMatchObject({ tries: 1 }));
  const { dueAt } = await waiting.storedAlert();
  expect(dueAt.getTime()).toBeGreaterThan(Date.now() + 30_000);
  mailServer.refuse(null);
  const endpoints = dispatcher.connection.collection('endpoints');
  await endpoints.updateOne({ companyId: waiting.company.companyId }, { $set: { 'alert.dueAt': new Date() } });
  await eventually(() => expect(waiting.mails()).toHaveLength(1));

  mailServer.refuse(550);
  const refused = await subscriber('refused-for-good');
  await refused.publish();
  await eventually(async () => expect(await refused.read()).toMatchObject({ health: 'failing' }));
  await eventually(async () => expect(await refused.storedAlert()).toBeUndefined());
  expect(refused.mails()).toEqual([]);
});

test('one of two replicas sends the alert; issues of many endpoints of a company in a short time are one more e-mail', async () => {
  const patient = await start(60_000);
  const second = await start(60_000, patient.namespace);
  try {
    const { company, publish, mails } = await subscriber('first', [['admin']], patient);
    for (const at of ['/second', '/third']) {
      receiver.behave(answer(500), at);
      await patient.endpoint(company, receiver.url(at));
    }
    await publish();
    const failing = async () => (await patient.call(company, 'get', path)).body.items;
    const endpoints = patient.connection.collection('endpoints');
    const alerted = { alert: { $exists: true } };
    await eventually(async () => {
      expect((await failing()).map(({ health }: { health: string }) => health)).toEqual(Array(3).fill('failing'));
    });
    await eventually(() => expect(mails().length).toBeGreaterThan(0));
    const due = async () => {
      const records = await endpoints.find(alerted).toArray();
      return records.filter(({ alert }) => alert.dueAt.getTime() < Date.now() + 30_000);
    };
    await eventually(async () => expect(await due()).toEqual([]));
    expect(mails()).toHaveLength(1);
    // As if the time had come: the company's next e-mail is about all the rest.
    await patient.connection.collection('alert_throttles').deleteMany({});
    await endpoints.updateMany(alerted, { $set: { 'alert.dueAt': new Date() } });
    await eventually(async () => expect(await endpoints.countDocuments(alerted)).toBe(0));
    expect(mails().length).toBeLessThanOrEqual(2);
    const mailed = mails().map(({ text }) => text);
    for (const { id } of await failing()) expect(mailed.join()).toContain(id);
  } finally {
    await second.stop();
    await patient.drop();
    await patient.stop();
  }
});
