import {
  type DomainEvent,
  type NotificationRaised,
  notification,
  notificationReadersChanged,
  type Permission,
} from '@app/contracts';
import { type Broker, toCloudEvents } from '@app/messaging';
import { eventually, testBroker } from '@app/testing';
import { fieldsAtFault, type Login, pagesOf, useAdmin, useIdentity } from '../identity.ts';

type Item = { id: string; kind: string; text: string | null; actor: unknown; read_at: string | null };
type User = Login & { id: string; email: string };

const identity = useIdentity();
const admin = useAdmin(identity);
let broker: Broker;
beforeAll(async () => {
  broker = await testBroker(identity.namespace);
});
afterAll(() => broker.close());

const ticket = { id: '6740f0c8b3c4d5e6f7000010', number: 'T-000042', title: 'Leak' };
/** A day ago: notifications are kept for 90 days. */
const at$ = new Date(Date.now() - 24 * 3600_000);
const stored = () => identity.connection.collection('notifications');

async function colleague(...permissions: Permission[]): Promise<User> {
  const user = await identity.user(permissions, admin.companyId);
  return { id: user.id, email: user.email, ...(await identity.logIn(user.email)) };
}
function raised(to: User[], key: string, more: Partial<NotificationRaised> = {}) {
  const recipients = { user_ids: to.map(({ id }) => id), place_ids: null };
  const what = { company_id: admin.companyId, kind: 'note' as const, key, to: recipients, ticket, ...more };
  return toCloudEvents('ticket', [notification(what, at$)]);
}
const publish = (...given: Parameters<typeof raised>) => broker.publish(raised(...given));
const get = async (login: Login, query = '') => {
  const answer = await identity.as(login, 'GET', `/notifications${query}`);
  expect(answer.status).toBe(200);
  return answer.body['items'] as unknown as Item[];
};
const texts = async (login: Login, query = '') => (await get(login, query)).map(({ text }) => text);
const unread = async (login: Login) => (await identity.as(login, 'GET', '/notifications/count')).body['unread'];
const read = (login: Login, body: object) => identity.as(login, 'POST', '/notifications/read', body);
const choose = (login: Login, kinds: object) => identity.as(login, 'PUT', '/notifications/settings', { kinds });
/** Once everything that was published before has been consumed. */
async function settled(login: User): Promise<void> {
  await publish([login], 'last', { text: 'last' });
  await eventually(async () => expect(await texts(login)).toContain('last'));
}

test('a user is told what happened, by whom, and reads it', async () => {
  const [ada, leo] = [await colleague('tickets'), await colleague('tickets')];
  const actor = { id: leo.id, firstName: 'As he was', lastName: 'called then' };
  const [event] = raised([ada], 'one', { actor, text: 'x'.repeat(600), visibility: 'internal' });
  await broker.publish([{ ...event, data: { ...(event?.data as object), ofLaterVersions: 1 } } as DomainEvent]);
  await eventually(async () => expect(await unread(ada)).toBe(1));
  const [item] = await get(ada);
  expect(item).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    kind: 'note',
    ticket,
    invoice: null,
    endpoint: null,
    actor: { id: leo.id, firstName: 'Ada', lastName: 'Martin' },
    text: 'x'.repeat(500),
    visibility: 'internal',
    created_at: at$.toISOString(),
    read_at: null,
  });
  expect(await stored().countDocuments({ ofLaterVersions: 1 })).toBe(0);
  expect((await read(ada, { ids: [item?.id] })).body).toEqual({ unread: 0 });
  expect(await get(ada)).toEqual([{ ...item, read_at: identity.clock.now.toISOString() }]);
  expect(await get(ada, '?unread=true')).toEqual([]);
});

test('the same event twice, late and beside others gives one notification each', async () => {
  const [ada, leo] = [await colleague('tickets'), await colleague('tickets')];
  const [one, two] = [raised([ada, leo], 'one', { text: 'one' }), raised([ada, leo], 'two', { text: 'two' })];
  await broker.publish([...one, ...two, ...one]);
  await Promise.all([
    broker.publish(one),
    broker.publish(two),
    broker.publish(raised([ada, leo], 'one', { text: 'one' })),
  ]);
  await settled(ada);
  await settled(leo);
  for (const login of [ada, leo])
    await eventually(async () => expect((await texts(login)).sort()).toEqual(['last', 'one', 'two']));
});

test('a list has pages, newest first, and all or some are marked as read', async () => {
  const ada = await colleague('tickets');
  for (const text of ['one', 'two', 'three']) {
    await publish([ada], text, { text });
    await eventually(async () => expect(await texts(ada)).toContain(text));
  }
  const pages = await pagesOf<Item>((cursor) => identity.as(ada, 'GET', `/notifications?limit=2${cursor}`));
  expect(pages.map((page) => page.map(({ text }) => text))).toEqual([['three', 'two'], ['one']]);
  const [, second] = await get(ada);
  await read(ada, { ids: [second?.id, '6740f0c8b3c4d5e6f7000099'] });
  expect(await texts(ada, '?unread=true')).toEqual(['three', 'one']);
  expect((await read(ada, { all: true })).body).toEqual({ unread: 0 });
});

test('nobody else sees or reads them, not even admins', async () => {
  const [ada, leo] = [await colleague('tickets'), await colleague('tickets')];
  const stranger = await identity.admin();
  await publish([ada], 'one');
  await eventually(async () => expect(await unread(ada)).toBe(1));
  const ids = (await get(ada)).map(({ id }) => id);
  for (const login of [leo, admin, stranger]) {
    expect([await get(login), await unread(login)]).toEqual([[], 0]);
    await read(login, { ids });
    await read(login, { all: true });
  }
  expect(await unread(ada)).toBe(1);
});

test('users of other companies are not told, even if the event names them', async () => {
  const [ada, stranger] = [await colleague('tickets'), { ...(await identity.admin()) }];
  await publish([ada, stranger], 'one');
  await settled(ada);
  expect(await get(stranger)).toEqual([]);
});

test('without managers all who may are told; who is limited to places elsewhere is not', async () => {
  const [place, other] = ['6740f0c8b3c4d5e6f7000020', '6740f0c8b3c4d5e6f7000021'];
  const [ada, leo, bob] = [await colleague('tickets'), await colleague('tickets'), await colleague('accounting')];
  await identity.as(admin, 'PATCH', `/company/users/${leo.id}`, { place_ids: [other] });
  const to = { permission: 'tickets' as const, manager_ids: [bob.id], place_ids: [place] };
  await publish([], 'one', { to, text: 'one' });
  await Promise.all([ada, leo].map(settled));
  // Events are handled beside each other.
  for (const login of [ada, admin]) await eventually(async () => expect(await texts(login)).toContain('one'));
  expect([await texts(leo), await texts(bob)]).toEqual([['last'], []]);
});

describe('what somebody may not read any more is in no list and no count', () => {
  const [place, other] = ['6740f0c8b3c4d5e6f7000020', '6740f0c8b3c4d5e6f7000021'];
  const change = (user: User, body: object) => identity.as(admin, 'PATCH', `/company/users/${user.id}`, body);
  /** The list and the count, as the user's credential is by now. */
  const seen = async ({ token }: User) => {
    const { principal } = (await identity.recognise(token)).body as unknown as { principal: User['principal'] };
    const login = { token, principal, cookie: '' };
    return [(await texts(login)).filter((text) => text !== 'last').sort(), await unread(login)];
  };
  const at = (user: User, place_ids: string[] | null) => ({ to: { user_ids: [user.id], place_ids } });

  test('once a place is lost, and is again once the place is', async () => {
    const ada = await colleague('tickets', 'accounting');
    await publish([], 'one', { ...at(ada, [place]), text: 'here' });
    await publish([], 'two', { ...at(ada, [other]), text: 'there' });
    await publish([], 'three', { ...at(ada, null), text: 'nowhere', kind: 'invoice_waits' });
    await eventually(async () => expect(await seen(ada)).toEqual([['here', 'nowhere', 'there'], 3]));
    await change(ada, { place_ids: [other] });
    expect(await seen(ada)).toEqual([['nowhere', 'there'], 2]);
    await change(ada, { place_ids: [] });
    expect(await seen(ada)).toEqual([['here', 'nowhere', 'there'], 3]);
  });

  test('once a permission is lost; what is hidden is not marked as read', async () => {
    const ada = await colleague('tickets', 'accounting');
    await publish([], 'one', { ...at(ada, null), text: 'ticket' });
    await publish([], 'two', { ...at(ada, null), text: 'invoice', kind: 'invoice_waits' });
    await eventually(async () => expect(await seen(ada)).toEqual([['invoice', 'ticket'], 2]));
    await change(ada, { permissions: ['accounting'] });
    expect(await seen(ada)).toEqual([['invoice'], 1]);
    const { principal } = await identity.logIn(ada.email);
    await read({ ...ada, principal }, { all: true });
    await change(ada, { permissions: ['tickets'] });
    expect(await seen(ada)).toEqual([['ticket'], 1]);
  });

  test('once the ticket has other places or managers, however the events come', async () => {
    const [ada, leo] = [await colleague('tickets'), await colleague('tickets')];
    await change(leo, { place_ids: [place] });
    const what = {
      to: { user_ids: [ada.id], manager_ids: [ada.id], place_ids: [place] },
      key: `ticket:${ticket.id}:note:1`,
      text: 'secret',
      visibility: 'managers' as const,
    };
    await publish([], 'one', what);
    await publish([], 'two', { ...at(leo, [place]), key: `ticket:${ticket.id}:note:2`, text: 'moved' });
    await publish([], 'three', { ...at(leo, [place]), key: `ticket:${ticket.id}0:note:1`, text: 'of another ticket' });
    await eventually(async () => expect(await seen(ada)).toEqual([['secret'], 1]));
    await eventually(async () => expect(await seen(leo)).toEqual([['moved', 'of another ticket'], 2]));
    const readers = (manager_ids: string[], place_ids: string[], afterS: number) => {
      const data = { company_id: admin.companyId, ticket_id: ticket.id, manager_ids, place_ids };
      const event = notificationReadersChanged(data, new Date(at$.getTime() + afterS * 1_000));
      return broker.publish(toCloudEvents('ticket', [event]));
    };
    await readers([leo.id], [other], 2);
    await eventually(async () => expect(await seen(leo)).toEqual([['of another ticket'], 1]));
    expect(await seen(ada)).toEqual([[], 0]);
    // An older one that comes later has no effect, and is known by what comes after it.
    await readers([ada.id], [place], 1);
    await settled(ada);
    await settled(leo);
    expect([(await seen(ada))[0], (await seen(leo))[0]]).toEqual([[], ['of another ticket']]);
    await readers([ada.id], [place], 3);
    await eventually(async () => expect((await seen(ada))[0]).toEqual(['secret']));
    await change(ada, { permissions: ['admin'] });
    await readers([], [other], 4);
    await eventually(async () => expect((await seen(leo))[0]).toEqual(['of another ticket']));
    expect((await seen(ada))[0]).toEqual(['secret']);
  });

  test('also if the news of other readers comes before what they were told', async () => {
    const ada = await colleague('tickets');
    const own = { ...ticket, id: '6740f0c8b3c4d5e6f7000019' };
    const data = { company_id: admin.companyId, ticket_id: own.id, manager_ids: [], place_ids: [place] };
    const changed = notificationReadersChanged(data, new Date(at$.getTime() + 1_000));
    await broker.publish(toCloudEvents('ticket', [changed]));
    const readers = identity.connection.collection<{ _id: string }>('notification_readers');
    await eventually(async () => expect(await readers.countDocuments({ _id: `${admin.companyId}:${own.id}` })).toBe(1));
    const to = { user_ids: [ada.id], manager_ids: [ada.id], place_ids: [place] };
    await publish([], 'late', {
      to,
      ticket: own,
      key: `ticket:${own.id}:note:1`,
      text: 'late',
      visibility: 'managers',
    });
    const late = { user_id: ada.id, text: 'late', readers_at: new Date(at$.getTime() + 1_000) };
    await eventually(async () => expect(await stored().countDocuments(late)).toBe(1));
    expect(await seen(ada)).toEqual([[], 0]);
  });

  test('once an admin who is no manager is no admin any more: what a note for managers told them', async () => {
    const ada = await colleague('tickets', 'admin');
    const to = { user_ids: [ada.id], manager_ids: [], place_ids: null };
    await publish([], 'one', { to, kind: 'mention', text: 'secret', visibility: 'managers' });
    await eventually(async () => expect(await seen(ada)).toEqual([['secret'], 1]));
    await change(ada, { permissions: ['tickets'] });
    expect(await seen(ada)).toEqual([[], 0]);
  });
});

test('what a user chose decides on list and e-mail', async () => {
  const ada = await colleague('tickets');
  const before = (await identity.as(ada, 'GET', '/notifications/settings')).body['kinds'] as unknown as object;
  expect(before).toMatchObject({ note: { console: true, email: 'daily' }, quote: { console: true, email: 'now' } });
  const note = { console: false, email: 'now' };
  expect((await choose(ada, { note })).body).toEqual({ kinds: { ...before, note } });
  await choose(ada, { date: { console: true, email: 'never' } });
  await choose(ada, { quote: { console: false, email: 'never' } });
  await publish([ada], 'hidden', { text: 'hidden' });
  await publish([ada], 'silent', { kind: 'date', text: 'silent' });
  await publish([ada], 'none', { kind: 'quote', text: 'none' });
  await publish([ada], 'last', { kind: 'mention', text: 'last' });
  const found = () => stored().find({ user_id: ada.id }).sort({ text: 1 }).toArray();
  await eventually(async () =>
    expect((await found()).map(({ text, mail }) => [text, mail?.mode])).toEqual([
      ['hidden', 'now'],
      ['last', 'now'],
      ['silent', undefined],
    ]),
  );
  expect((await texts(ada)).sort()).toEqual(['last', 'silent']);
  expect(await unread(ada)).toBe(2);
});

test.each([
  [{ note: { console: true } }, ['kinds.note.email']],
  [{ note: { console: 'x', email: 'hourly' } }, ['kinds.note.console', 'kinds.note.email']],
  [{ gossip: { console: true, email: 'now' } }, ['kinds.gossip']],
  [{ invoice_waits: { console: true, email: 'now' } }, ['kinds.invoice_waits']],
  [{ proposal: { console: true, email: 'now' } }, ['kinds.proposal']],
])('settings %j are refused', async (kinds, expected) => {
  const answer = await choose(await colleague('tickets'), kinds);
  expect([answer.status, fieldsAtFault(answer)]).toEqual([422, expected]);
});

test.each([{}, { ids: [] }, { all: false }, { ids: ['x'] }, { ids: ['6740f0c8b3c4d5e6f7000010'], all: true }])(
  'reading %j is refused',
  async (body) => expect((await read(admin, body)).status).toBe(422),
);

test('an erased person keeps none, and is not named in those of others', async () => {
  const [ada, leo] = [await colleague('tickets'), await colleague('tickets')];
  const actor = { id: leo.id, firstName: 'Leo', lastName: 'Durand' };
  await publish([ada, leo], 'one', { actor });
  await publish([leo], 'two');
  await choose(leo, { note: { console: true, email: 'now' } });
  await settled(ada);
  await settled(leo);
  expect((await identity.as(admin, 'POST', `/company/users/${leo.id}/erase`)).status).toBe(202);
  await publish([ada, leo], 'three', { actor, text: 'late' });
  await eventually(async () => expect(await texts(ada)).toContain('late'));
  expect(await stored().countDocuments({ user_id: leo.id })).toBe(0);
  expect(await identity.connection.collection('notification_users').countDocuments({ _id: leo.id as never })).toBe(0);
  const named = { id: leo.id, firstName: 'Erased', lastName: 'user' };
  expect((await get(ada)).flatMap(({ actor: by }) => by ?? [])).toEqual([named, named]);
  expect(JSON.stringify(await stored().find().toArray())).not.toContain('Durand');
});

test('a closed company is told nothing', async () => {
  const ada = await colleague('tickets');
  await identity.byPlatform('POST', `/admin/companies/${admin.companyId}/close`);
  await publish([ada], 'one');
  const other = await identity.user(['tickets']);
  const login = { id: other.id, email: other.email, ...(await identity.logIn(other.email)) };
  await publish([login], 'last', { company_id: other.company_id });
  await eventually(async () => expect(await unread(login)).toBe(1));
  expect(await stored().countDocuments({ user_id: ada.id })).toBe(0);
});

test('they are removed after 90 days', async () => {
  const indexes = await stored().indexes();
  expect(indexes).toContainEqual(expect.objectContaining({ key: { created_at: 1 }, expireAfterSeconds: 7_776_000 }));
});
