import { type AuditRecord, auditRecorded, type DomainEvent } from '@app/contracts';
import { eventually, recordEvents, signAs, testBroker } from '@app/testing';
import request from 'supertest';
import { aCompany, type Dispatcher, startDispatcher } from '../dispatcher.ts';

let dispatcher: Dispatcher;
let events: DomainEvent<AuditRecord>[];
let stop: () => Promise<void>;

beforeAll(async () => {
  dispatcher = await startDispatcher();
  const broker = await testBroker(dispatcher.namespace);
  events = await recordEvents(broker, [auditRecorded]);
  stop = () => broker.close();
});
afterAll(async () => {
  await stop();
  await dispatcher.drop();
  await dispatcher.stop();
});

test('making, changing and deleting an endpoint is told once each, without its address, secret and headers', async () => {
  const company = aCompany();
  const secret = 'value-of-a-header';
  const as = async (method: 'post' | 'patch' | 'delete', path: string, body?: object) => {
    const sent = request(dispatcher.http)[method](`/webhooks/endpoints${path}`);
    const headers = { ...(await signAs(company)), 'x-forwarded-for': '192.0.2.7', 'user-agent': 'x'.repeat(300) };
    return sent.set(headers).send(body);
  };
  const made = await as('post', '', {
    name: 'ERP',
    url: 'https://example.com/?token=in-the-address',
    events: ['ticket.status_changed'],
    headers: [{ name: 'x-key', value: secret }],
  });
  const { id } = made.body;
  await as('patch', `/${id}`, { name: 'ERP', events: ['ticket.status_changed'] });
  await as('patch', `/${id}`, { active: false, url: 'https://example.com/?token=another', headers: [] });
  await Promise.all([as('delete', `/${id}`), as('delete', `/${id}`)]);
  expect((await as('delete', `/${id}`)).status).toBe(404);

  await eventually(() => expect(events.length).toBeGreaterThanOrEqual(3));
  const published = events.map(({ data }) => data);
  expect(published.map(({ action }) => action)).toEqual([
    'webhook_endpoint.created',
    'webhook_endpoint.changed',
    'webhook_endpoint.deleted',
  ]);
  expect(published[1]).toEqual({
    company_id: company.companyId,
    action: 'webhook_endpoint.changed',
    actor: { kind: 'user', user_id: company.userId, credential: 'session', api_token_id: null },
    from: { address: '192.0.2.7', user_agent: 'x'.repeat(200) },
    target: { kind: 'webhook_endpoint', id, name: 'ERP' },
    details: {
      changes: [
        { field: 'active', before: true, after: false },
        { field: 'url', before: null, after: null },
        { field: 'headers', before: null, after: null },
      ],
      reason: null,
      count: null,
    },
  });
  for (const hidden of [secret, 'token=', made.body.secret]) expect(JSON.stringify(published)).not.toContain(hidden);
});
