import {
  type DomainEvent,
  type UserErased,
  type UserSnapshot,
  userChanged,
  userCreated,
  userErased,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventFixture, eventually, profiled } from '@app/testing';
import { type Client, newTicket, pdf, usePlatform } from '../platform.ts';

const platform = usePlatform({ erasureSettleMs: 0 });

const collection = (name: string) => platform.connection.collection<{ _id: string }>(name);
const isDone = (client: Client) =>
  eventually(async () => {
    expect(await collection('erasures').findOne({ _id: client.caller.userId })).toMatchObject({ pass: 'done' });
  });

function snapshot({ caller }: Client, version = 1): UserSnapshot {
  const { userId: id, companyId: company_id, firstName: first_name, lastName: last_name, email } = caller;
  const names = { first_name, last_name, email, phone: '+33 1' };
  return { id, company_id, ...names, permissions: ['tickets'], active: true, version };
}
/** The frozen example of the event, for this person. */
function erasureOf({ caller: { userId: id, companyId: company_id } }: Client): DomainEvent<UserErased> {
  const event = eventFixture(userErased) as DomainEvent<UserErased>;
  const user = { ...event.data.user, id, company_id, email: `${id}@erased.invalid` };
  return { ...event, id: newId(), data: { ...event.data, user } };
}
const publish = (...events: Parameters<typeof toCloudEvents>[1]) =>
  platform.broker.publish(toCloudEvents('identity', events));

/** All documents that contain one of the texts, without outboxes, which hold events only for a moment. */
async function having(text: string): Promise<string[]> {
  const names = (await platform.connection.listCollections()).map(({ name }) => name);
  const found = await Promise.all(
    names.map(async (name) => {
      const all = await platform.connection
        .collection(name)
        .find({}, { projection: { outbox: 0 } })
        .toArray();
      return all.filter((document) => JSON.stringify(document).includes(text)).map(() => name);
    }),
  );
  return found.flat().sort();
}

/** A person who has created a ticket, validated a quote, written notes, and is its manager. */
async function known(tag: string) {
  const names = { firstName: `Zénobie ${tag}`, lastName: tag, email: `${tag}@example.com` };
  const person = platform.as(names);
  platform.identity.users.set(person.caller.userId, snapshot(person));
  await publish(userCreated({ user: snapshot(person) }, new Date()));
  const contractor = await platform.contractorOf(person);
  const people = { manager_ids: [person.caller.userId], contact_ids: [person.caller.userId] };
  const ticket = await newTicket(person, people);
  await person.post(`${ticket}/assign`, { contractor_id: contractor.id });
  const quote = await contractor.upload(`${ticket}/quotes`, { reference: 'D-1', price: '10' }, pdf);
  await person.put(`${ticket}/quotes/${quote.data.quote._id}/validate`);
  for (const type of ['public', 'internal'])
    await person.post(`${ticket}/notes`, { note: `I was here, ${type}`, type });
  await contractor.post(`${ticket}/notes`, { note: 'So was I', type: 'public' });
  const colleague = platform.as({ companyId: person.caller.companyId });
  const mention = `Ask @[Zénobie](user:${person.caller.userId})`;
  await colleague.post(`${ticket}/notes`, { note: mention, type: 'internal' });
  await eventually(async () =>
    expect(await collection('user_projections').findOne({ _id: person.caller.userId })).toBeTruthy(),
  );
  return { person, contractor, ticket, colleague };
}

const neutral = { firstName: 'Erased', lastName: 'user' };

test('tickets, notes and the projection of users name the person no more; nothing else of them changes', async () => {
  const { person, contractor, ticket, colleague } = await known('everywhere');
  const { userId } = person.caller;
  expect([...new Set(await having('everywhere'))]).toEqual(['notes', 'tickets', 'user_projections']);
  const before = (await colleague.get(ticket)).data;
  expect(before).toMatchObject({ created_by: { lastName: 'everywhere' }, validated_by: { lastName: 'everywhere' } });
  await platform.broker.publish([erasureOf(person)]);
  await isDone(person);
  expect(await having('everywhere')).toEqual([]);
  const email = `${userId}@erased.invalid`;
  const person_ = { _id: userId, ...neutral, email };
  const { data: after } = await colleague.get(ticket);
  expect(after).toEqual({
    ...before,
    quotes: [{ ...before.quotes[0], download_url: expect.any(String) }],
    created_by: { ...before.created_by, ...person_ },
    validated_by: { ...before.validated_by, ...person_ },
    managers: [{ ...person_, phone: null }],
    contacts: [{ ...person_, phone: null }],
  });
  const { data: read } = await contractor.get(`${ticket}/notes`);
  expect(read.notes).toMatchObject([
    { note: 'I was here, public', author: { _id: userId, ...neutral } },
    { note: 'So was I', author: { firstName: 'Ada' } },
  ]);
  const notes: { note: string }[] = (await colleague.get(`${ticket}/notes`)).data.notes;
  expect(notes.at(-1)?.note).toBe(`Ask @[Erased user](user:${userId})`);
  expect((await colleague.get('/api/v3.0/users')).data.users).toEqual([]);
});

test('an older state that comes late does not bring the name back, and what others did keeps its name', async () => {
  const { person, ticket, colleague } = await known('late');
  const other = await known('other-person');
  await platform.broker.publish([erasureOf(person)]);
  await isDone(person);
  await publish(
    userCreated({ user: snapshot(person, 0) }, new Date()),
    userChanged({ user: snapshot(person, 3) }, new Date()),
  );
  const marker = { ...snapshot(other.person, 9), last_name: 'marker' };
  await publish(userChanged({ user: marker }, new Date()));
  await eventually(async () => expect(await having('marker')).toEqual(['user_projections']));
  expect(await having('late')).toEqual([]);
  expect((await colleague.get(ticket)).data.managers).toMatchObject([neutral]);
  expect(await having('other-person')).toEqual(expect.arrayContaining(['notes', 'notes', 'tickets']));
});

test('all tickets of the company are gone through, page after page, by an index', async () => {
  const person = platform.as({ lastName: 'many-pages' });
  const { userId: _id, companyId: company_id } = person.caller;
  const by = { _id, firstName: 'Z', lastName: 'many-pages', email: 'z@example.com', company_id };
  const ids = Array.from({ length: 510 }, () => newId());
  await collection('tickets').insertMany(
    ids.map((id) => ({
      _id: id,
      version: 1,
      created_by: by,
      validated_by: null,
      views: [{ _id: newId(), company_id }],
    })),
  );
  await collection('notes').insertMany(ids.map((ticket_id) => ({ _id: newId(), ticket_id, author: by, note: 'Seen' })));
  const commands = await profiled(platform, async () => {
    await platform.broker.publish([erasureOf(person)]);
    await isDone(person);
  });
  expect(await having('many-pages')).toEqual([]);
  const plans = commands.filter(({ ns }) => /\.(tickets|notes)$/.test(ns)).map(({ planSummary }) => planSummary);
  expect(plans.length).toBeGreaterThan(6);
  expect(plans).not.toContain('COLLSCAN');
});
