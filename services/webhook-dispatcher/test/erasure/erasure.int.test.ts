import { type DomainEvent, ticketMessageAdded, type UserErased, userErased } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventFixture, eventually } from '@app/testing';
import { type aCompany, useDispatcher } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

const own = useDispatcher();

type Company = ReturnType<typeof aCompany>;
const collection = (name: string) => own.dispatcher.connection.collection<{ _id: string }>(name);
const erased = (userId: string) =>
  eventually(async () => {
    expect(await collection('erasures').findOne({ _id: userId })).toMatchObject({ pass: 'done' });
  });

/** The frozen example of the event, for this person. */
function erasureOf(id: string): DomainEvent {
  const event = eventFixture(userErased) as DomainEvent<UserErased>;
  return { ...event, id: newId(), data: { ...event.data, user: { ...event.data.user, id } } };
}

/** A message as the ticket service publishes it. Its text looks like what is searched for. */
function message({ companyId }: Company, authorId: string) {
  const author = { id: authorId, firstName: 'Zénobie', lastName: 'Quatrefages', company_id: companyId };
  const text = `"author":{"id":"${authorId}","firstName":"Zoe"} says: été`;
  const payload = {
    ticket: { id: newId(), number: 'T-1', title: 'Leak' },
    message: { text, visibility: 'shared' as const, author, created_at: '2026-11-24T08:00:00.000Z' },
  };
  const event = ticketMessageAdded({ audience: [companyId], payload }, new Date(), payload.ticket.id);
  const [sealed] = toCloudEvents('ticket', [event]);
  return { event: sealed as DomainEvent, payload };
}

async function subscriber(path: string) {
  const one = await subscriberOf(own, path, { events: ['ticket.message_added'] });
  const got = async (count: number) => (await one.arrived(count)).map(({ body }) => JSON.parse(String(body)));
  const stored = async () =>
    (await collection('deliveries').find({ endpointId: one.id }).sort({ _id: 1 }).toArray()) as never[];
  return { ...one, got, stored };
}

const neutral = { firstName: 'Erased', lastName: 'user' };

test('stored bodies name the person no more, and what is sent again has the neutral name', async () => {
  const one = await subscriber('/stored');
  const [person, other] = [newId(), newId()];
  const sent = message(one.company, person);
  await own.dispatcher.publish(sent.event, message(one.company, other).event);
  const [first] = await one.got(2).then((all) => all.filter(({ data }) => data.message.author.id === person));
  await one.ended(2, 'succeeded');
  const before = (await one.stored()) as { _id: string; body: string }[];
  await own.dispatcher.publish(erasureOf(person));
  await erased(person);
  const author = { ...sent.payload.message.author, ...neutral };
  const after = { ...first, data: { ...first.data, message: { ...first.data.message, author } } };
  const bodyOf = (body: string) => (body.includes(`"author":{"id":"${person}"`) ? JSON.stringify(after) : body);
  expect(await one.stored()).toEqual(before.map((delivery) => ({ ...delivery, body: bodyOf(delivery.body) })));
  const { _id } = before.find(({ body }) => bodyOf(body) !== body) ?? { _id: '' };
  await one.on(`deliveries/${_id}/redeliver`);
  expect((await one.got(3)).at(-1)).toEqual(after);
});

test('a message that comes after the erasure of its author is stored and sent without the name', async () => {
  const one = await subscriber('/late');
  const person = newId();
  await own.dispatcher.publish(erasureOf(person));
  await erased(person);
  const { event, payload } = message(one.company, person);
  await own.dispatcher.publish(event);
  const [got] = await one.got(1);
  const author = { ...payload.message.author, ...neutral };
  expect(got.data).toEqual({ ...payload, message: { ...payload.message, author } });
  await eventually(async () => expect(JSON.stringify(await one.stored())).toContain('Erased'));
  expect(JSON.stringify(await one.stored())).not.toContain('Quatrefages');
});
