import { type Permission, ticketMessageAdded } from '@app/contracts';
import { newId } from '@app/kernel';
import { answer, eventFixture } from '@app/testing';
import { aCompany, useDispatcher } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

// A retry waits until a test asks for it.
const own = useDispatcher({ retryDelaysMs: [60_000] });
const events = ['ticket.message_added'];
const paused = { active: false };

/** An endpoint, by default of an admin, and a colleague who is none. */
async function managed(path: string, permissions: Permission[] = ['admin']) {
  const colleague = aCompany();
  const subscriber = await subscriberOf(own, path, { events, company: { ...colleague, permissions } });
  const by = (caller: ReturnType<typeof aCompany>) => (method: 'get' | 'post' | 'patch', more: string, body?: object) =>
    own.dispatcher.call(caller, method, `${subscriber.path}${more}`, body);
  const note = (visibility: 'managers' | 'internal') => {
    const frozen = eventFixture(ticketMessageAdded);
    const payload = { ...frozen.data.payload, message: { ...frozen.data.payload.message, visibility } };
    return { ...frozen, id: newId(), data: { audience: [colleague.companyId], payload } };
  };
  const publish = (...notes: ('managers' | 'internal')[]) => own.dispatcher.publish(...notes.map(note));
  /** What was sent there since. */
  const read = () => subscriber.at().map(({ body }) => JSON.parse(String(body)).data.message.visibility);
  return {
    ...subscriber,
    colleague,
    publish,
    read,
    byColleague: by(colleague),
    byAdmin: by({ ...colleague, permissions: ['admin'] }),
  };
}

test('notes for managers go to endpoints whose URL an admin has set', async () => {
  const one = await managed('/user', ['tickets', 'api_webhooks']);
  const two = await subscriberOf(own, '/admin', { events, company: { ...one.colleague, permissions: ['admin'] } });
  await one.publish('managers', 'internal');
  await two.ended(2, 'succeeded');
  await one.ended(1, 'succeeded');
  expect(one.read()).toEqual(['internal']);
});

test('an admin who changes anything else opens no URL of others, nor do others close or keep that of an admin', async () => {
  const { byAdmin, byColleague, created, publish, ended, read } = await managed('/chosen', ['tickets', 'api_webhooks']);
  const { url } = created.body;
  await byAdmin('patch', '', { name: 'ERP 2', events, url });
  await publish('managers', 'internal');
  await ended(1, 'succeeded');
  expect(read()).toEqual(['internal']);

  await byAdmin('patch', '', { url: own.receiver.url('/of-admin') });
  await byColleague('patch', '', { name: 'ERP 3', events, url: own.receiver.url('/of-admin') });
  await publish('managers');
  await ended(2, 'succeeded');
  expect(own.receiver.at('/of-admin')).toHaveLength(1);

  await byColleague('patch', '', { url });
  await publish('managers', 'internal');
  await ended(3, 'succeeded');
  expect(read()).toEqual(['internal', 'internal']);
});

test('in the log, admins alone read what a note for managers says', async () => {
  const { byAdmin, byColleague, publish, logged } = await managed('/log');
  await publish('managers');
  const [delivery] = await logged([{ status: 'succeeded' }]);
  expect((await byColleague('get', `/deliveries/${delivery?.id}`)).status).toBe(403);
  expect((await byAdmin('get', `/deliveries/${delivery?.id}`)).body.body).toContain('"managers"');
});

describe('who moves an endpoint of an admin', () => {
  const since = { since: new Date(0).toISOString() };
  test.each<[string, (id: string) => readonly [string, object]]>([
    ['redeliver', (id: string) => [`/deliveries/${id}/redeliver`, {}]],
    ['recover', () => ['/recover', since]],
    ['redeliveries', () => ['/redeliveries', { status: 'canceled' }]],
  ])('gets no stored note for managers by %s, until an admin sets the URL', async (name, request) => {
    const { byAdmin, byColleague, publish, logged } = await managed(`/${name}`);
    await byAdmin('patch', '', paused);
    await publish('managers');
    const [delivery] = await logged([{ status: 'canceled' }]);
    await byColleague('patch', '', { active: true, url: own.receiver.url(`/${name}/theirs`) });
    const again = request(String(delivery?.id));
    expect((await byColleague('post', ...again)).status).toBe(202);
    // What is sent later arrives, and so the earlier one was withheld.
    await publish('internal');
    await logged([{ status: 'succeeded' }, { status: 'canceled', attempts: [], nextAttemptAt: null }]);
    expect(own.receiver.at(`/${name}/theirs`)).toHaveLength(1);

    await byAdmin('patch', '', { url: own.receiver.url(`/${name}/admins`) });
    await byAdmin('post', `/deliveries/${delivery?.id}/redeliver`, {});
    await logged([{}, { status: 'succeeded' }]);
    expect(own.receiver.at(`/${name}/admins`)).toHaveLength(1);
  });

  test('gets none that waits for its retry', async () => {
    own.receiver.behave(answer(500), '/retried');
    const { byColleague, publish, logged } = await managed('/retried');
    await publish('managers');
    const [delivery] = await logged([{ status: 'failed' }]);
    await byColleague('patch', '', { url: own.receiver.url('/retried/theirs') });
    await byColleague('post', `/deliveries/${delivery?.id}/redeliver`, {});
    await logged([{ status: 'canceled', attempts: [{ statusCode: 500 }] }]);
    expect(own.receiver.at('/retried/theirs')).toEqual([]);
  });
});
