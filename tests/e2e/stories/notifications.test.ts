import { eventually } from '@app/testing';
import { type Member, newCompany, newContractorOf, newTicket, newUser, ok, pdfForm, stack } from '../platform.ts';

type Item = { id: string; kind: string; ticket: { id: string } | null; actor: { id: string } | null; text: string };

const list = async (member: Member, query = '') =>
  (await ok(member.ts(`GET /notifications${query}`))).data.items as Item[];
const unread = async (member: Member) => (await ok(member.ts('GET /notifications/count'))).data.unread as number;
const kinds = async (member: Member) => (await list(member)).map(({ kind }) => kind);
const day = (n: number) => new Date(Date.UTC(2030, 0, n, 8)).toISOString();

test('both parties hear of what the other does on a ticket, and nobody of what they did themselves', async () => {
  const client = await newCompany('client');
  const manager = await newUser(client.companyId, ['tickets']);
  const colleague = await newUser(client.companyId, ['tickets']);
  const contractor = await newContractorOf(client);
  const ticket = await newTicket(client, { manager_ids: [manager.userId] });
  await eventually(async () => expect(await kinds(manager)).toEqual(['assigned']));
  await ok(client.api(`POST ${ticket}/propose`, { contractor_ids: [contractor.id] }));
  await eventually(async () => expect(await kinds(contractor)).toEqual(['proposal']));
  const quote = await ok(contractor.api(`POST ${ticket}/quotes`, pdfForm({ reference: 'DEV-7', price: '120.00' })));
  expect(quote.status).toBe(201);
  await eventually(async () => expect(await kinds(manager)).toEqual(['quote', 'assigned']));
  const date = { type: 'planned', category: 'visit', start: day(2), end: day(3) };
  await ok(contractor.api(`POST ${ticket}/dates`, date));
  await ok(contractor.api(`POST ${ticket}/notes`, { note: 'We come on Wednesday', type: 'public' }));
  await eventually(async () => expect((await kinds(manager)).sort()).toEqual(['assigned', 'date', 'note', 'quote']));
  await ok(manager.api(`POST ${ticket}/notes`, { note: 'Ring the bell', type: 'public' }));
  await eventually(async () => expect(await kinds(contractor)).toEqual(['note', 'proposal']));
  const told = await list(manager);
  const offer = told.find(({ kind }) => kind === 'quote');
  expect(offer).toMatchObject({
    actor: { id: contractor.userId },
    text: 'DEV-7',
    ticket: { id: ticket.split('/')[2] },
  });
  // The ticket has a manager, who is told in place of all who work on tickets.
  expect([await kinds(colleague), await kinds(client)]).toEqual([[], []]);

  expect((await ok(manager.ts('POST /notifications/read', { ids: [offer?.id] }))).data).toEqual({ unread: 3 });
  expect(await list(manager, '?unread=true')).toHaveLength(3);
  await ok(manager.ts('POST /notifications/read', { all: true }));
  expect(await unread(manager)).toBe(0);
});

test('who is mentioned is found by name, and hears of the mention alone', async () => {
  const client = await newCompany('client');
  const manager = await newUser(client.companyId, ['tickets']);
  const ticket = await newTicket(client, { manager_ids: [manager.userId] });
  await eventually(async () => {
    const { data } = await ok(client.api(`GET ${ticket}/mentionable-users?type=managers&q=mart`));
    expect(data.users).toContainEqual({ _id: manager.userId, firstName: 'Ada', lastName: 'Martin' });
  });
  await eventually(async () => expect(await kinds(manager)).toEqual(['assigned']));
  await ok(client.api(`POST ${ticket}/notes`, { note: `@[Ada](user:${manager.userId}), look`, type: 'managers' }));
  await eventually(async () => expect(await kinds(manager)).toEqual(['mention', 'assigned']));
  expect((await list(manager))[0]).toMatchObject({ text: '@Ada Martin, look', actor: { id: client.userId } });
});

test('what somebody may not read any more is shown no more: another place, another manager', async () => {
  const client = await newCompany('client');
  const [manager, local] = [await newUser(client.companyId, ['tickets']), await newUser(client.companyId, ['tickets'])];
  const place = async (name: string) => (await ok(client.api('POST /locations', { name }))).data.location._id;
  const [here, there] = [await place('Here'), await place('There')];
  await ok(client.ts(`PATCH /company/users/${local.userId}`, { place_ids: [here] }));
  const ticket = await newTicket(client, { manager_ids: [manager.userId, local.userId], location_ids: [here] });
  const bothHave = async (...expected: string[]) => {
    for (const one of [manager, local]) await eventually(async () => expect(await kinds(one)).toEqual(expected));
  };
  await bothHave('assigned');
  await ok(client.api(`POST ${ticket}/notes`, { note: 'Between us', type: 'managers' }));
  await bothHave('note', 'assigned');
  await ok(client.api(`PATCH ${ticket}`, { location_ids: [there] }));
  await eventually(async () => expect([await kinds(local), await unread(local)]).toEqual([[], 0]));
  expect(await kinds(manager)).toEqual(['note', 'assigned']);
  await ok(client.api(`PATCH ${ticket}`, { manager_ids: [local.userId] }));
  await eventually(async () => expect([await kinds(manager), await unread(manager)]).toEqual([['assigned'], 1]));
});

test('what a user does not want does not come', async () => {
  const client = await newCompany('client');
  const manager = await newUser(client.companyId, ['tickets']);
  const { data } = await ok(manager.ts('GET /notifications/settings'));
  expect(data.kinds.assigned).toEqual({ console: true, email: 'now' });
  const chosen = { kinds: { assigned: { console: false, email: 'never' } } };
  expect((await ok(manager.ts('PUT /notifications/settings', chosen))).data.kinds).toMatchObject(chosen.kinds);
  const ticket = await newTicket(client, { manager_ids: [manager.userId] });
  await ok(client.api(`POST ${ticket}/notes`, { note: 'Look', type: 'internal' }));
  await eventually(async () => expect(await kinds(manager)).toEqual(['note']));
});

test('an open tab follows how many are unread, until its session ends', async () => {
  const client = await newCompany('client');
  const manager = await newUser(client.companyId, ['tickets']);
  const headers = { authorization: `Bearer ${manager.session}` };
  const response = await fetch(`${stack().tsApi}/notifications/stream`, { headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  let text = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  })();
  await eventually(() => expect(text).toContain('event: notification\ndata: {"unread":0}\n\n'));
  await newTicket(client, { manager_ids: [manager.userId] });
  await eventually(() => expect(text).toContain('data: {"unread":1}\n\n'));
  await ok(manager.ts('POST /auth/logout'));
  await reading;
});
