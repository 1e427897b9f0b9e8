import type { Route } from '@app/http';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { notesPerTicket } from '../../notes/note.ts';
import { type Client, idOf, newTicket, pdf, tickets, usePlatform } from '../platform.ts';

const platform = usePlatform();

async function aTicket() {
  const client = platform.as();
  return { client, ticket: await newTicket(client) };
}

test('a removed ticket takes no note, document or report, and its time stays', async () => {
  const { client, ticket } = await aTicket();
  await client.post(`${ticket}/remove`);
  const before = (await client.get(ticket)).data;
  const answers = [
    await client.post(`${ticket}/notes`, { note: 'n', type: 'internal' }),
    await client.upload(`${ticket}/documents`, {}, pdf),
    await client.upload(`${ticket}/reports`, {}, pdf),
  ];
  const refused = { status: 409, code: 'ticket_transition_forbidden', from: 'removed' };
  const expected = ['add_note', 'add_document', 'add_report'].map((operation) => ({ ...refused, operation }));
  expect(answers.map(({ status, data: { code, from, operation } }) => ({ status, code, from, operation }))).toEqual(
    expected,
  );
  expect((await client.get(ticket)).data).toEqual(before);
  expect((await client.get(`${ticket}/notes`)).data.notes).toEqual([]);
  expect((await client.get(`${ticket}/documents`)).data.documents).toEqual([]);
});

test('an empty text is read back as an empty text, as documented', async () => {
  const client = platform.as();
  const create = async (path: string, body: object) =>
    Object.values((await client.post(`/api/v3.0/${path}`, body)).data)[0] as { _id: string };
  const address = { postalCode: '', country: '', city: '', route: '', streetNumber: '', fullAddress: '', zone: '' };
  const billed = await create('locations', { name: 'Siège', reference: '', address });
  const site = { name: 'Lyon', reference: '', address, location_facturation_id: billed._id };
  const location = await create('locations', site);
  const field = await create('custom-fields', { name: { fr: 'Code', en: 'Code' } });
  const fields = [{ field_id: field._id, value: '' }];
  const body = { title: 'Leak', description: '', location_ids: [location._id], fields };
  const ticket = await newTicket(client, body);
  const contractor = (await client.post('/api/v3.0/contractors', { name: 'Fixit', fields })).data._id;
  const answers = [
    ['/api/v3.0/tickets/:ticket_id', (await client.get(ticket)).data],
    ['/api/v3.0/tickets', (await client.get(tickets)).data],
    ['/api/v3.0/contractors/:contractor_id', (await client.get(`/api/v3.0/contractors/${contractor}`)).data],
  ] as const;
  expect(answers[0][1]).toMatchObject({ description: '', fields: [{ value: '' }], locations: [{ address }] });
  for (const [path, answer] of answers) {
    const { reply } = platform.routes.find((route) => route.method === 'get' && route.path === path) as Route;
    expect(reply.schema?.validate(answer)).toEqual({ value: answer });
  }
});

test('a scheduled date stays on the ticket if it took place, not if it did not; visits are apart', async () => {
  const { client, ticket } = await aTicket();
  const worker = await platform.contractorOf(client);
  await client.post(`${ticket}/assign`, { contractor_id: worker.id });
  const day = (date: number) => new Date(Date.UTC(2030, 0, date)).toISOString();
  const add = async (type: string, date: number) =>
    (await client.post(`${ticket}/dates`, { start: day(date), end: day(date), type })).data.date._id;
  const scheduled = async () => (await client.get(ticket)).data.intervention_scheduled_at;
  await add('planned', 1);
  const missed = await add('planned', 8);
  await add('actual', 2);
  expect(await scheduled()).toEqual([day(1), day(8)]);
  await client.put(`${ticket}/dates/${missed}/not-done`);
  expect(await scheduled()).toEqual([day(1)]);
  await add('planned', 15);
  await client.post(`${ticket}/reschedule`);
  expect(await scheduled()).toEqual([day(1)]);
  expect((await client.get(ticket)).data.intervention_occured_at).toEqual([day(2)]);
  const visit = { start: day(20), end: day(20), type: 'planned', category: 'visit' };
  expect((await client.post(`${ticket}/dates`, visit)).status).toBe(201);
  expect((await client.get(ticket)).data).toMatchObject({ visit_scheduled_at: [day(20)], visit_occured_at: [] });
  expect(await scheduled()).toEqual([day(1)]);
});

test('notes are shown to those they are for, and published to those alone', async () => {
  const { client, ticket } = await aTicket();
  const [a, b] = [await platform.contractorOf(client), await platform.contractorOf(client)];
  await client.post(`${ticket}/propose`, { contractor_ids: [a.id, b.id] });
  for (const type of ['internal', 'managers', 'public'])
    await client.post(`${ticket}/notes`, { note: `client ${type}`, type });
  for (const type of ['internal', 'public']) await a.post(`${ticket}/notes`, { note: `a ${type}`, type });
  const read = async (reader: Client) =>
    (await reader.get(`${ticket}/notes`)).data.notes.map(({ note }: { note: string }) => note);
  expect(await read(client)).toEqual(['client internal', 'client managers', 'client public', 'a public']);
  expect(await read(a)).toEqual(['client public', 'a internal', 'a public']);
  expect(await read(b)).toEqual(['client public']);
  const plain = { ...client.caller, permissions: ['tickets' as const] };
  expect(await read(platform.as({ ...plain, userId: 'f'.repeat(24) }))).toEqual([
    'client internal',
    'client public',
    'a public',
  ]);
  const token = platform.as({ ...plain, userId: 'f'.repeat(24), via: 'token' });
  expect(await read(token)).not.toContain('client managers');
  await eventually(() => {
    const messages = platform.published('message_added', idOf(ticket));
    const audiences = Object.fromEntries(
      messages.map(({ audience, payload }) => [(payload['message'] as { text: string }).text, [...audience].sort()]),
    );
    const [c, ofA, ofB] = [client, a, b].map(({ caller }) => caller.companyId) as [string, string, string];
    expect(audiences).toEqual({
      'client internal': [c],
      'client managers': [c],
      'client public': [c, ofA, ofB].sort(),
      'a internal': [ofA],
      'a public': [c, ofA].sort(),
    });
  });
});

test('1,000 notes are the most a ticket takes, also in parallel', async () => {
  const { client, ticket } = await aTicket();
  const add = () => client.post(`${ticket}/notes`, { note: 'n', type: 'internal' });
  await add();
  const stored = platform.connection.collection<{ _id: string }>('notes');
  const note = await stored.findOne({ ticket_id: idOf(ticket) });
  const copies = Array.from({ length: notesPerTicket - 11 }, () => ({ ...note, _id: newId() }));
  await stored.insertMany(copies);
  const reserved = platform.connection.collection<{ _id: string }>('tickets');
  await reserved.updateOne({ _id: idOf(ticket) }, { $inc: { note_count: copies.length } });
  const answers = (await Promise.all(Array.from({ length: 20 }, add))).map(({ status }) => status);
  expect(answers.filter((status) => status === 201)).toHaveLength(10);
  expect(answers.filter((status) => status === 422)).toHaveLength(10);
  expect((await client.get(`${ticket}/notes`)).data.notes).toHaveLength(notesPerTicket);
});

test('a contractor reads its own dates and, while it is on the ticket, those of the client: none of a competitor', async () => {
  const { client, ticket } = await aTicket();
  const [former, current] = [await platform.contractorOf(client), await platform.contractorOf(client)];
  const plan = async (by: Client, day: number, category = 'intervention') => {
    const start = new Date(Date.UTC(2030, 0, day)).toISOString();
    const answer = await by.post(`${ticket}/dates`, { start, end: start, type: 'planned', category });
    expect([answer.status, Object.keys(answer.data.date)]).toEqual([201, expect.not.arrayContaining(['company_id'])]);
    return start;
  };
  const seenBy = async (reader: Client) => {
    const [dates, read] = [(await reader.get(`${ticket}/dates`)).data, (await reader.get(ticket)).data];
    const starts = dates.intervention_dates.map(({ start }: { start: string }) => start);
    expect(read.intervention_scheduled_at).toEqual(starts);
    return [dates.visit_dates.length, starts];
  };
  await client.post(`${ticket}/assign`, { contractor_id: former.id });
  const [own, asked] = [await plan(former, 1), await plan(client, 2)];
  expect(await seenBy(former)).toEqual([0, [own, asked]]);
  await client.put(`${ticket}/finish`);
  await client.post(`${ticket}/open`);
  await client.post(`${ticket}/assign`, { contractor_id: current.id });
  const [visit, mine] = [await plan(current, 3, 'visit'), await plan(current, 4)];
  expect(await seenBy(client)).toEqual([1, [own, asked, mine]]);
  expect(await seenBy(current)).toEqual([1, [asked, mine]]);
  expect(await seenBy(former)).toEqual([0, [own]]);
  expect(visit).not.toBe(mine);
});
