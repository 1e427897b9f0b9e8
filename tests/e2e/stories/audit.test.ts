import { eventually, type Receiver } from '@app/testing';
import {
  bodiesAt,
  caller,
  logIn,
  newCompany,
  newContractorOf,
  newReceiver,
  newTicket,
  ok,
  stack,
  subscribe,
} from '../platform.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await newReceiver();
});
afterAll(() => receiver.close());

type Entry = { action: string; actor: object; from: { address: string }; target: { id: string; name: string } | null };

test('a day of a company: what was done is in its log, and closing it ends everything until it is opened again', async () => {
  const client = await newCompany('client');
  const contractor = await newContractorOf(client);
  const anybody = caller(stack().tsApi);
  const { email } = contractor;
  expect((await anybody('POST /auth/login', { email, password: 'a wrong password' })).status).toBe(401);
  const person = await logIn(contractor);
  const { data: token } = await ok(person.ts('POST /api-tokens', { name: 'planning' }));
  const erp = caller(`${stack().ticketApi}/api/v3.0`, token.token);
  const endpoint = await subscribe(person, receiver, '/closed');
  await subscribe(client, receiver, '/open');
  const ticket = await newTicket(client);
  await ok(client.api(`POST ${ticket}/assign`, { contractor_id: contractor.id }));
  await eventually(() => expect(receiver.at('/closed').length).toBeGreaterThan(0));
  expect((await erp('GET /tickets')).status).toBe(200);

  const platform = caller(stack().tsApi, stack().adminToken);
  const company = `/admin/companies/${contractor.companyId}`;
  const { data: closed } = await ok(platform(`POST ${company}/close`));
  expect(closed).toMatchObject({ id: contractor.companyId, closed_at: expect.stringMatching(/^\d{4}-/) });
  const asked = async () =>
    (await Promise.all([person.ts('GET /auth/session'), person.api('GET /tickets'), erp('GET /tickets')])).map(
      ({ status }) => status,
    );
  await eventually(async () => expect(await asked()).toEqual([401, 401, 401]));
  expect((await anybody('POST /auth/login', { email, password: contractor.password })).status).toBe(401);
  // Others can still read what they share with the closed company, and their events are not sent to it.
  expect((await client.api(`GET ${ticket}`)).status).toBe(200);
  const sent = receiver.at('/closed').length;
  await ok(client.api(`POST ${ticket}/notes`, { note: 'the key is at the porter', type: 'public' }));
  // What is sent to either party is decided at once, and not after it is open again.
  await eventually(() =>
    expect(bodiesAt(receiver, '/open').map(({ event }) => event)).toContain('ticket.message_added'),
  );
  await ok(platform(`POST ${company}/reopen`));
  await eventually(async () => expect(await asked()).toEqual([200, 200, 200]));
  await eventually(async () => {
    const { data } = await ok(person.ts(`GET /webhooks/endpoints/${endpoint.id}/deliveries`));
    expect(data.items).toContainEqual(expect.objectContaining({ event: 'ticket.message_added', status: 'canceled' }));
  });
  expect(receiver.at('/closed').length).toBe(sent);
  const recovered = await ok(
    person.ts(`POST /webhooks/endpoints/${endpoint.id}/recover`, { since: new Date(0).toISOString() }),
  );
  expect(recovered.data.queued).toBeGreaterThan(0);
  await eventually(() => expect(receiver.at('/closed').length).toBeGreaterThan(sent));

  const entries = await eventually(async () => {
    const { data } = await ok(person.ts('GET /audit'));
    const found = data.items as Entry[];
    expect(found.map(({ action }) => action).sort()).toEqual(
      [
        'company.created',
        'user.created',
        'login.accepted',
        'login.refused',
        'login.accepted',
        'api_token.created',
        'webhook_endpoint.created',
        'company.closed',
        'login.refused',
        'company.reopened',
      ].sort(),
    );
    return found;
  });
  const of = (action: string) => entries.find((entry) => entry.action === action);
  const user = { kind: 'user', user_id: person.userId, name: 'Ada Martin', credential: 'session' };
  expect(of('webhook_endpoint.created')).toMatchObject({ actor: user, target: { id: endpoint.id, name: 'e2e' } });
  expect(of('api_token.created')).toMatchObject({ actor: user, target: { id: token.id, name: 'planning' } });
  expect(of('company.closed')).toMatchObject({ actor: { kind: 'platform' } });
  expect(entries.filter(({ from }) => !/^(127\.0\.0\.1|::1)$/.test(from.address))).toEqual([]);
  const { data: ofClient } = await ok(client.ts('GET /audit'));
  expect(JSON.stringify(ofClient)).not.toContain(person.userId);
});

test('a company that is renamed is called so everywhere within seconds, and found by its new name', async () => {
  const client = await newCompany('client');
  const contractor = await newContractorOf(client);
  const platform = caller(stack().tsApi, stack().adminToken);
  const name = `Halles ${client.companyId.slice(-6)}`;
  await ok(platform(`PATCH /admin/companies/${client.companyId}`, { name }));
  await eventually(async () => {
    const { data } = await ok(contractor.api('GET /clients'));
    expect(data.clients).toEqual([{ _id: client.companyId, name }]);
    expect((await ok(client.ts('GET /auth/session'))).data.company.name).toBe(name);
  });
  const { data: found } = await ok(platform(`GET /admin/companies?q=${encodeURIComponent(name)}`));
  expect(found.items).toMatchObject([{ id: client.companyId, name }]);
  const { data: log } = await ok(client.ts('GET /audit?action=company.changed'));
  expect(log.items).toMatchObject([
    { actor: { kind: 'platform' }, details: { changes: [{ field: 'name', after: name }] } },
  ]);
});
