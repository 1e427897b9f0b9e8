import { type DomainEvent, type NotificationRaised, notificationRaised } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, recordEvents } from '@app/testing';
import { aUser, type Client, idOf, newTicket, outcome, ticketOfTwo, usePlatform } from '../platform.ts';

const platform = usePlatform();
let raised: DomainEvent<NotificationRaised>[];
beforeAll(async () => {
  raised = await recordEvents(platform.broker, [notificationRaised], 'notifications');
});

/** A colleague of the client, as identity's events tell of them. */
async function colleagueOf({ caller }: Client, given: Parameters<typeof aUser>[1] = {}) {
  const user = aUser(caller.companyId, given);
  await platform.projections.saveUser(user);
  return { ...user, mention: `@[Somebody](user:${user.id})` };
}

const write = (client: Client, path: string, note: string, type = 'internal') =>
  client.post(`${path}/notes`, { note, type });
const saidOf = async (answer: ReturnType<typeof write>) => {
  const { status, data } = await answer;
  return [status, data.errors?.[0]?.message];
};

test('a note mentions colleagues by the names they have; webhooks get them as plain text', async () => {
  const owner = platform.as();
  const path = await newTicket(owner);
  const user = await colleagueOf(owner, { first_name: 'Paul', last_name: 'Roux' });
  const { status, data } = await write(owner, path, `Ask ${user.mention}, please`, 'public');
  expect([status, data.note.note]).toEqual([201, `Ask @[Paul Roux](user:${user.id}), please`]);
  expect((await owner.get(`${path}/notes`)).data.notes[0].note).toBe(data.note.note);
  await eventually(async () =>
    expect(platform.published('message_added', idOf(path))).toMatchObject([
      { payload: { message: { text: 'Ask @Paul Roux, please' } } },
    ]),
  );
});

test('who is mentioned is told of that alone, once; a note that mentions nobody tells nobody so', async () => {
  const owner = platform.as();
  const [one, other, third] = [await colleagueOf(owner), await colleagueOf(owner), await colleagueOf(owner)];
  const path = await newTicket(owner, { manager_ids: [one.id, third.id] });
  await write(owner, path, 'Nobody');
  await write(owner, path, `${one.mention} ${other.mention} ${one.mention}`);
  const { userId: id, companyId: company_id, firstName, lastName } = owner.caller;
  const told = (wanted: string) =>
    raised.flatMap(({ data }) => (data.kind === wanted && data.ticket?.id === idOf(path) ? data : []));
  await eventually(async () => expect([told('mention'), told('note')]).toMatchObject([{ length: 1 }, { length: 2 }]));
  // One note is one notification.
  expect(told('note').map(({ to }) => to)).toMatchObject([
    { user_ids: [one.id, third.id] },
    { user_ids: expect.not.arrayContaining([one.id]) },
  ]);
  expect(told('mention')[0]).toMatchObject({
    company_id,
    to: { user_ids: [one.id, other.id] },
    actor: { id, firstName, lastName },
    text: '@Ada Martin @Ada Martin @Ada Martin',
    visibility: 'internal',
  });
});

test('whom identity alone knows yet can be mentioned', async () => {
  const owner = platform.as();
  const user = aUser(owner.caller.companyId);
  platform.identity.users.set(user.id, user);
  expect((await write(owner, await newTicket(owner), `@[x](user:${user.id})`)).status).toBe(201);
});

test('who may not read the note is not mentioned, and the answer says who and why', async () => {
  const owner = platform.as();
  const place = async (parent_id: string | null = null): Promise<string> =>
    (await owner.post('/api/v3.0/locations', { name: 'Site', parent_id })).data.location._id;
  const site = await place();
  const [room, elsewhere] = [await place(site), await place()];
  const manager = await colleagueOf(owner, { place_ids: [site] });
  const path = await newTicket(owner, { location_ids: [room], manager_ids: [manager.id] });
  const admin = await colleagueOf(owner, { permissions: ['admin'] });
  const other = await colleagueOf(owner);
  const isNoUser = 'note mentions Somebody, who is no active user of your company';
  const isBlind = 'note mentions Somebody, who does not see this ticket';
  const refused: [string, { mention: string }][] = [
    [isNoUser, { mention: `@[Somebody](user:${newId()})` }],
    [isNoUser, await colleagueOf(owner, { active: false })],
    [isBlind, await colleagueOf(owner, { permissions: ['accounting'] })],
    [isBlind, await colleagueOf(owner, { place_ids: [elsewhere] })],
  ];
  for (const type of ['public', 'internal', 'managers'])
    for (const [said, { mention }] of refused)
      expect(await saidOf(write(owner, path, `${admin.mention} ${mention}`, type))).toEqual([422, said]);
  for (const type of ['public', 'internal']) expect((await write(owner, path, other.mention, type)).status).toBe(201);
  expect((await write(owner, path, `${manager.mention} ${admin.mention}`, 'managers')).status).toBe(201);
  expect(await saidOf(write(owner, path, other.mention, 'managers'))).toEqual([
    422,
    'note mentions Somebody, who does not read notes for managers',
  ]);
  expect((await owner.get(`${path}/notes`)).data.notes).toHaveLength(3);
});

test('neither party mentions people of another company, and no answer tells whether they exist', async () => {
  const { client, a, b, path } = await ticketOfTwo(platform);
  const { projections } = platform;
  const parties = [client, a, b];
  const people = await Promise.all(parties.map((party) => colleagueOf(party)));
  for (const [index, party] of parties.entries()) {
    await write(party, path, 'hello', 'public');
    for (const user of people) {
      const isOwn = user === people[index];
      const stranger = await saidOf(write(party, path, `@[Somebody](user:${newId()})`, 'public'));
      const answer = await saidOf(write(party, path, user.mention, 'public'));
      expect(answer).toEqual(isOwn ? [201, undefined] : stranger);
    }
    const found = await party.get(`${path}/mentionable-users?type=public`);
    expect(found.data.users.map(({ _id }: { _id: string }) => _id)).toEqual([people[index]?.id]);
  }
  expect(await projections.users(people.map(({ id }) => id))).toHaveLength(3);
});

test('a note mentions at most 20 people', async () => {
  const owner = platform.as();
  const path = await newTicket(owner);
  const people = await Promise.all(Array.from({ length: 21 }, () => colleagueOf(owner)));
  const text = (count: number) =>
    people
      .slice(0, count)
      .map(({ mention }) => `${mention} ${mention}`)
      .join(' ');
  expect((await write(owner, path, text(20))).status).toBe(201);
  expect(await saidOf(write(owner, path, text(21)))).toEqual([422, 'note mentions more than 20 people']);
});

test('whom a note may mention is found by the beginnings of names: ten at most, by name', async () => {
  const owner = platform.as();
  const place = (await owner.post('/api/v3.0/locations', { name: 'Site' })).data.location._id;
  const named = (first_name: string, last_name: string, more: object = {}) =>
    colleagueOf(owner, { first_name, last_name, ...more });
  await named('Élodie', 'Martin');
  const manager = await named('Marc', 'Petit');
  await named('Marine', 'Petit', { place_ids: [place] });
  await named('Marthe', 'Petit', { permissions: ['accounting'] });
  await named('Martial', 'Petit', { active: false });
  const path = await newTicket(owner, { manager_ids: [manager.id] });
  const found = async (query: string) => {
    const { data } = await owner.get(`${path}/mentionable-users?${query}`);
    return data.users.map(({ firstName, lastName }: Record<string, string>) => `${firstName} ${lastName}`);
  };
  expect(await found('type=public&q=mar')).toEqual(['Élodie Martin', 'Marc Petit']);
  expect(await found('type=internal&q=mar%20elo')).toEqual(['Élodie Martin']);
  expect(await found('type=managers&q=mar')).toEqual(['Marc Petit']);
  expect(await found('type=public&q=.*')).toEqual(['Élodie Martin', 'Marc Petit']);
  expect(await found('type=public&q=artin')).toEqual([]);
  for (let more = 0; more < 12; more += 1) await named('Zoé', String(more).padStart(2, '0'));
  expect(await found('type=public&q=zoe')).toEqual(Array.from({ length: 10 }, (_, at) => `Zoé 0${at}`));
  expect(outcome(await platform.as().get(`${path}/mentionable-users?type=public`))).toEqual([404, 'ticket_not_found']);
});
