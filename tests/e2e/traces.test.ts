import { randomBytes, randomUUID } from 'node:crypto';
import { answer, eventually, type ReceivedSpan, type Receiver } from '@app/testing';
import axios from 'axios';
import { bodiesAt, type Member, newCompany, newReceiver, newTicket, subscribe } from './platform.ts';

let receiver: Receiver;
let client: Member;
beforeAll(async () => {
  receiver = await newReceiver();
  client = await newCompany('client');
});
afterAll(() => receiver.close());

async function spansOf(traceId: string): Promise<ReceivedSpan[]> {
  const { data } = await axios.get<ReceivedSpan[]>(`${process.env['TRACES_URL']}/spans`);
  return data.filter((span) => span.traceId === traceId || span.links.some((link) => link.traceId === traceId));
}

/** A traceparent of ours, and its trace. */
function newTrace(flags: '00' | '01') {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}` };
}

/** Each span of the trace as its path: the names from the root span down to it. */
function pathsOf(spans: ReceivedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const pathOf = (span: ReceivedSpan): string => {
    const parent = byId.get(span.parentSpanId);
    const own = `${span.service}: ${span.name}`;
    return parent ? `${pathOf(parent)} > ${own}` : own;
  };
  return spans.map(pathOf);
}

const order = () => ({ kind: 'purchase_order', reference: randomUUID(), amount: 12.5 });

test('a purchase is one trace, from the request over database and broker to the webhook', async () => {
  const ticket = await newTicket(client);
  await subscribe(client, receiver, '/traced');
  const { traceId, traceparent } = newTrace('01');
  const created = await client.api(`POST ${ticket}/purchases`, order(), { traceparent });
  expect(created.status).toBe(201);
  await eventually(() => expect(bodiesAt(receiver, '/traced')).toHaveLength(1));
  const post = 'POST /api/v3.0/tickets/:ticket_id/purchases';
  const begin = `gateway: ${post} > gateway: POST > purchase: ${post}`;
  await eventually(async () => {
    const paths = pathsOf(await spansOf(traceId));
    expect(paths).toEqual(expect.arrayContaining([begin, `${begin} > purchase: insert purchases`]));
    expect(paths).toContainEqual(expect.stringMatching(/purchase: (GET|POST|PUT) > ticket: \w+ \/internal\//));
    expect(paths).toContainEqual(
      expect.stringMatching(/publish ticket\.purchase_added\.v1 > webhook-dispatcher: process /),
    );
    expect(paths).toContainEqual(
      expect.stringMatching(/> webhook-dispatcher: deliver webhook > webhook-dispatcher: POST$/),
    );
    expect(paths.filter((path) => !path.startsWith(`gateway: ${post}`))).toEqual([]);
  });
  const [attempt] = (await spansOf(traceId)).filter(
    ({ service, name }) => service === 'webhook-dispatcher' && name === 'POST',
  );
  expect(attempt?.attributes).toMatchObject({ 'http.response.status_code': 200, 'server.address': '127.0.0.1' });
  // Receivers must not see how we work inside.
  expect(receiver.at('/traced')[0]?.headers).not.toHaveProperty('traceparent');
});

test('a retry has a trace of its own, which names that of its event', async () => {
  const ticket = await newTicket(client);
  receiver.behave(answer(500), '/retried');
  await subscribe(client, receiver, '/retried');
  const { traceId, traceparent } = newTrace('01');
  await client.api(`POST ${ticket}/purchases`, order(), { traceparent });
  await eventually(() => expect(receiver.at('/retried').length).toBeGreaterThan(0));
  receiver.behave(answer(200), '/retried');
  await eventually(async () => {
    const attempts = (await spansOf(traceId)).filter(
      ({ name, attributes }) => name === 'deliver webhook' && Number(attributes['app.attempt']) > 1,
    );
    expect(attempts[0]).toMatchObject({ parentSpanId: '', links: [{ traceId }] });
    expect(attempts[0]?.traceId).not.toBe(traceId);
  });
});

test('a caller whose trace is not recorded, or that has none, is not traced here', async () => {
  const ticket = await newTicket(client);
  const { traceId, traceparent } = newTrace('00');
  await client.api(`POST ${ticket}/purchases`, order(), { traceparent });
  const recorded = newTrace('01');
  await client.api(`GET ${ticket}`, undefined, { traceparent: recorded.traceparent });
  await eventually(async () => expect(await spansOf(recorded.traceId)).not.toEqual([]));
  expect(await spansOf(traceId)).toEqual([]);
});
