import { newId } from '@app/kernel';
import { type Client, type Platform, startPlatform } from '../platform.ts';

let platform: Platform;
let client: Client;
beforeAll(async () => {
  platform = await startPlatform();
  client = platform.as();
  const { companyId: id, companyName: name } = client.caller;
  platform.identity.companies.set(id, { id, name, kind: 'client', siret: null, siren: null });
});
afterAll(() => platform.stop());

const tickets = '/api/v3.0/tickets';
const people = ['contact_ids', 'manager_ids'] as const;

/** A user of the client whom identity knows. */
function aColleague(): string {
  const user = { id: newId(), company_id: client.caller.companyId, first_name: 'Ada', last_name: 'Martin' };
  platform.identity.users.set(user.id, { ...user, email: 'ada@example.com', phone: null, permissions: [] });
  return user.id;
}

test.each(people)('a contractor cannot learn by %s who works for its client', async (path) => {
  const contractor = await platform.contractorOf(client);
  const asked = platform.identity.asked.length;
  const colleague = aColleague();
  const open = (id: string) =>
    contractor.post(tickets, { title: 'Leak', client_id: client.caller.companyId, [path]: [id] });
  const answers = [await open(colleague), await open(newId()), await open(contractor.caller.userId)];
  for (const { status, data } of answers) {
    expect([status, data.errors]).toEqual([
      422,
      [{ path, message: `${path} is for the client: its users are not yours to name` }],
    ]);
  }
  // Nobody is looked for either, so that no answer comes later than another.
  expect(platform.identity.asked.slice(asked).filter((line) => line.endsWith('/users'))).toEqual([]);
  expect((await contractor.get(tickets)).data.tickets).toEqual([]);
});

test('a contractor that names nobody opens its ticket, and the client names its own users', async () => {
  const contractor = await platform.contractorOf(client);
  const nobody = { contact_ids: [], manager_ids: [] };
  const opened = await contractor.post(tickets, { title: 'Leak', client_id: client.caller.companyId, ...nobody });
  expect(opened.status).toBe(201);
  const colleague = aColleague();
  const { status, data } = await client.post(tickets, { title: 'Leak', contact_ids: [colleague] });
  expect(status).toBe(201);
  expect((await client.get(`${tickets}/${data.ticket_id}`)).data.contacts).toMatchObject([{ _id: colleague }]);
});
