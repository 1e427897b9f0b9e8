import { aCaller, ampleMs, answer, behaviours } from '@app/testing';
import { aCompany, type Dispatcher, startDispatcher, statusChanged, useDispatcher } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

const path = '/webhooks/endpoints';
const good = { name: 'ERP', url: 'https://erp.example.com/hooks', events: ['ticket.status_changed'] };
const unknownId = 'f'.repeat(24);
const own = useDispatcher();

function call(...request: Parameters<Dispatcher['call']>): ReturnType<Dispatcher['call']> {
  return own.dispatcher.call(...request);
}

test('an endpoint is created, its secret shown once and never again, nor kept readable', async () => {
  const company = aCompany();
  const created = await call(company, 'post', path, good);
  expect(created.status).toBe(201);
  const { secret, ...view } = created.body;
  expect(secret).toMatch(/^whsec_[\w-]{43}$/);
  expect(view).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    ...good,
    headers: [],
    active: true,
    consecutiveFailures: 0,
    disabledReason: null,
    health: 'ok',
    healthSince: null,
    lastError: null,
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: view.createdAt,
  });
  expect((await call(company, 'get', path)).body).toEqual({ items: [view] });
  expect(await call(company, 'get', `${path}/${view.id}`)).toMatchObject({ status: 200, body: view });
  expect((await call(aCompany(), 'get', `${path}/${view.id}`)).status).toBe(404);
  const patched = await call(company, 'patch', `${path}/${view.id}`, { name: 'ERP 2' });
  expect(patched.body).toEqual({ ...view, name: 'ERP 2', updatedAt: patched.body.updatedAt });
  const stored = JSON.stringify(await own.dispatcher.connection.collection('endpoints').find().toArray());
  expect(stored).not.toContain(secret.slice(6));
  expect(JSON.stringify(own.dispatcher.logger.lines)).not.toContain(secret.slice(6));
});

test('the url is stored in normal form, as it was created and changed', async () => {
  const company = aCompany();
  const { body } = await call(company, 'post', path, { ...good, url: 'HTTPS://ERP.Example.com:443/a/../hooks' });
  expect(body.url).toBe('https://erp.example.com/hooks');
  const url = 'HTTPS://Bücher.Example.com:443/a/../hooks';
  const changed = await call(company, 'patch', `${path}/${body.id}`, { url });
  expect(changed.body.url).toBe('https://xn--bcher-kva.example.com/hooks');
});

test.each([
  ['an empty name', { ...good, name: '' }, ['name']],
  ['a name that is no text', { ...good, name: 7 }, ['name']],
  ['a url of 2,049 characters', { ...good, url: `https://example.com/${'x'.repeat(2029)}` }, ['url']],
  ['a url that is longer once it is understood', { ...good, url: `https://example.com/${'é'.repeat(1000)}` }, ['url']],
  ['plain http', { ...good, url: 'http://example.com' }, ['url']],
  ['localhost', { ...good, url: 'https://localhost/' }, ['url']],
  ['a private address', { ...good, url: 'https://192.168.1.1/' }, ['url']],
  ['a private address in disguise', { ...good, url: 'https://0xa9fea9fe/' }, ['url']],
  ['no event', { ...good, events: [] }, ['events']],
  ['an event that is none', { ...good, events: ['ticket.status_changed', 'ticket.exploded'] }, ['events.1']],
  ['the test event', { ...good, events: ['webhook.test'] }, ['events.0']],
  ['an event twice', { ...good, events: ['ticket.quote_added', 'ticket.quote_added'] }, ['events.1']],
  ['events that are no list', { ...good, events: 'ticket.quote_added' }, ['events']],
  ['unknown fields', { ...good, secret: 'mine', active: true }, ['secret', 'active']],
  ['a list', [good], ['']],
])('creation with %s is 422, naming the fault, and changes nothing', async (_name, body, paths) => {
  const company = aCompany();
  const refused = await call(company, 'post', path, body);
  expect(refused.status).toBe(422);
  expect(refused.body.message).toBe('Validation error');
  expect(refused.body.errors.map((fault: { path: string }) => fault.path)).toEqual(paths);
  expect((await call(company, 'get', path)).body.items).toEqual([]);
});

test.each([
  ['nothing', {}],
  ['null', { active: null }],
  ['text for active', { active: 'true' }],
  ['a private url', { url: 'https://127.1.1.1.nip.local/' }],
  ['events that are none', { events: ['*'] }],
])('a change with %s is 422 and changes nothing', async (_name, body) => {
  const company = aCompany();
  const { body: created } = await call(company, 'post', path, good);
  expect((await call(company, 'patch', `${path}/${created.id}`, body)).status).toBe(422);
  const { secret: _secret, ...view } = created;
  expect((await call(company, 'get', path)).body.items).toEqual([view]);
});

test('of 30 parallel creates, ten succeed; a deletion allows one more', async () => {
  const company = aCompany();
  const answers = await Promise.all(Array.from({ length: 30 }, () => call(company, 'post', path, good)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(10);
  const refused = answers.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(20);
  expect(refused[0]?.body.code).toBe('webhook_endpoint_limit');
  const { items } = (await call(company, 'get', path)).body;
  expect(items).toHaveLength(10);
  expect((await call(company, 'delete', `${path}/${items[3].id}`)).status).toBe(204);
  const again = await Promise.all(Array.from({ length: 5 }, () => call(company, 'post', path, good)));
  expect(again.filter(({ status }) => status === 201)).toHaveLength(1);
});

test('a deleted endpoint is gone from every operation', async () => {
  const company = aCompany();
  const { body: endpoint } = await call(company, 'post', path, good);
  expect(await call(company, 'delete', `${path}/${endpoint.id}`)).toMatchObject({ status: 204, body: {} });
  expect((await call(company, 'get', path)).body.items).toEqual([]);
  for (const [method, url, body] of operations(endpoint.id, unknownId)) {
    expect((await call(company, method, url, body)).status).toBe(404);
  }
});

function operations(id: string, deliveryId: string): ['get' | 'post' | 'patch' | 'delete', string, object?][] {
  return [
    ['patch', `${path}/${id}`, { name: 'mine now' }],
    ['delete', `${path}/${id}`],
    ['get', `${path}/${id}/deliveries`],
    ['get', `${path}/${id}/stats`],
    ['get', `${path}/${id}/deliveries/${deliveryId}`],
    ['post', `${path}/${id}/deliveries/${deliveryId}/redeliver`],
    ['post', `${path}/${id}/recover`, { since: '2026-01-01T00:00:00Z' }],
    ['post', `${path}/${id}/redeliveries`, { status: 'exhausted' }],
    ['post', `${path}/${id}/test`],
  ];
}

describe('permissions', () => {
  test('a delivery of another endpoint of the same company is 404', async () => {
    const one = await subscriberOf(own, '/one');
    const two = await subscriberOf(own, '/two', { company: one.company });
    await one.on('test');
    const [delivery] = await one.log();
    for (const [{ path }, status] of [
      [two, 404],
      [one, 200],
    ] as const) {
      expect((await call(one.company, 'get', `${path}/deliveries/${delivery?.id}`)).status).toBe(status);
    }
  });

  test('an API token is not taken', async () => {
    const token = aCaller({ via: 'token' });
    for (const [method, url, body] of [
      ['get', path],
      ['post', path, good],
      ...operations(unknownId, unknownId),
    ] as const) {
      expect((await call(token, method, url, body)).status).toBe(401);
    }
  });
});

describe('who may not read tickets', () => {
  test('chooses no events and no URL for them, and reads none in the log', async () => {
    const { company, path: endpoint, publish, logged, on } = await subscriberOf(own, '/content');
    await publish();
    const [delivery] = await logged([{ status: 'succeeded', ticket: { title: 'Leak' } }]);
    const other = aCaller({ companyId: company.companyId, permissions: ['api_webhooks'] });
    const asked = async (method: 'get' | 'post' | 'patch', url: string, body?: object) =>
      (await call(other, method, url, body)).status;
    expect(await asked('post', path, good)).toBe(403);
    for (const change of [{ url: good.url }, { events: good.events }]) {
      expect(await asked('patch', endpoint, change)).toBe(403);
    }
    expect(await asked('get', `${endpoint}/deliveries/${delivery?.id}`)).toBe(403);
    expect((await call(other, 'get', `${endpoint}/deliveries`)).body.items).toMatchObject([{ ticket: null }]);
    expect(await asked('patch', endpoint, { name: 'ERP 2' })).toBe(200);
    await on('test');
    const [test] = (await call(other, 'get', `${endpoint}/deliveries?event=webhook.test`)).body.items;
    expect(await asked('get', `${endpoint}/deliveries/${test.id}`)).toBe(200);
  });
});

describe('the test operation', () => {
  test('sends a signed webhook.test at once and is logged with its body', async () => {
    const { id, path: endpoint, company, on, at, log } = await subscriberOf(own, '/test');
    const result = await on('test');
    expect(result).toMatchObject({ status: 200, body: { success: true, statusCode: 200, error: null } });
    const [received] = at();
    expect(received?.headers['x-service-event']).toBe('webhook.test');
    expect(JSON.parse(String(received?.body))).toEqual({
      event: 'webhook.test',
      created_at: expect.stringMatching(/Z$/),
      data: { endpoint: { id, name: 'ERP' } },
    });
    const [delivery] = await log('?event=webhook.test');
    expect(result.body.deliveryId).toBe(received?.headers['x-service-delivery']);
    expect(delivery).toMatchObject({ id: result.body.deliveryId, status: 'succeeded', statusCode: 200 });
    const read = await call(company, 'get', `${endpoint}/deliveries/${delivery?.id}`);
    const { host: _host, connection: _connection, 'content-length': _length, ...sent } = received?.headers ?? {};
    const [attempt] = read.body.attempts;
    const shown = Object.entries(attempt.requestHeaders).map(([name, value]) => [name.toLowerCase(), value]);
    expect(Object.fromEntries(shown)).toEqual(sent);
    const attempts = [{ ...delivery?.attempts[0], requestHeaders: attempt.requestHeaders }];
    expect(read.body).toEqual({ ...delivery, attempts, body: String(received?.body) });
  });

  test.each([
    ['failing', answer(500, 'secret of the inside'), 500, 'status_not_2xx'],
    ['hanging', behaviours.hang, null, 'timeout'],
    ['redirecting', answer(302, '', { location: '/' }), 302, 'redirect_refused'],
  ])(
    'of a %s receiver names the failure, never the answer, in one attempt',
    async (name, behaviour, statusCode, error) => {
      own.receiver.behave(behaviour, `/${name}`);
      const { company, path: endpoint, at, log, read } = await subscriberOf(own, `/${name}`);
      const hasty = await startDispatcher(
        { timeoutMs: error === 'timeout' ? 10_000 : ampleMs },
        own.dispatcher.namespace,
      );
      const expected = { success: false, statusCode, error, deliveryId: expect.any(String) };
      expect((await hasty.call(company, 'post', `${endpoint}/test`)).body).toEqual(expected);
      await hasty.stop();
      expect(await log()).toMatchObject([{ status: 'exhausted', nextAttemptAt: null }]);
      expect(at()).toHaveLength(1);
      expect((await read()).consecutiveFailures).toBe(0);
    },
  );
});

test('an inactive endpoint can be tested, and events meanwhile stay in its log as canceled, with the body', async () => {
  const { company, path: endpoint, change, on, at, logged } = await subscriberOf(own, '/asleep');
  await change({ active: false });
  const event = statusChanged([company.companyId]);
  await own.dispatcher.publish(event);
  const [delivery] = await logged([{ status: 'canceled', attempts: [], nextAttemptAt: null }]);
  const { body } = await call(company, 'get', `${endpoint}/deliveries/${delivery?.id}`);
  expect(JSON.parse(body.body).data).toEqual(event.data.payload);
  expect(at()).toEqual([]);
  expect((await on('test')).body).toMatchObject({ success: true });
});
