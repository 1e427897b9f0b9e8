import type { IncomingMessage, ServerResponse } from 'node:http';
import { aCaller, eventually } from '@app/testing';
import { bearer, caller, session, startUpstream } from '../gateway.ts';
import { before, type Handle, startWith, stopAfter, stopAll } from '../upstreams.ts';

const path = '/api/v3.0/tickets';

afterEach(stopAll);

test.each<[string, number, Handle]>([
  ['an answer', 200, (_req, res) => void res.end('{}')],
  ['an error of the service', 500, (_req, res) => void res.writeHead(500).end('{}')],
  ['a connection that is cut', 502, (_req, res) => void res.destroy()],
])('a request that ends with %s makes room for the next', async (_what, status, handle) => {
  const { call } = await before(handle, { maxInFlight: 1 });
  for (let n = 0; n < 3; n += 1) {
    expect(await call('ticket', 'POST', path, { headers: bearer(), body: '{}' })).toMatchObject({ status });
  }
});

test('a service that answers nothing is sent less, the others as much as before', async () => {
  const { call, upstream } = await before(() => undefined, { maxInFlight: 150, maxInFlightPerCredential: 150 });
  const refused: (string | undefined)[] = [];
  const ask = () =>
    call('ticket', 'GET', path, { headers: bearer() }).then(
      ({ status, headers }) => void (status === 503 && refused.push(headers['retry-after'])),
      () => undefined,
    );
  // The limit is 150 in all; for a service that does not answer it falls to 100.
  const asked = Array.from({ length: 105 }, ask);
  await eventually(() => {
    asked.push(ask());
    expect(refused).toContain('1');
  });
  const other = await call('ts', 'GET', '/api-tokens', { headers: bearer(session) });
  expect(other.status).toBe(200);
  await upstream.close();
  await Promise.all(asked);
});

test('a company that makes many tokens takes nothing from another one', async () => {
  const answersOne = (req: IncomingMessage, res: ServerResponse) => void (req.url === `${path}/one` && res.end('{}'));
  const { call, identity, upstream } = await before(answersOne, { maxInFlight: 150 });
  identity.good.set('bearer ticket tok_modest', { kind: 'caller', caller: aCaller() });
  const statuses: number[] = [];
  const asked: Promise<void>[] = [];
  const askAsCrowd = () => {
    const token = `tok_crowd_${asked.length}`;
    identity.good.set(`bearer ticket ${token}`, { kind: 'caller', caller });
    const answer = call('ticket', 'GET', path, { headers: bearer(token) });
    asked.push(
      answer.then(
        ({ status }) => void statuses.push(status),
        () => undefined,
      ),
    );
  };
  for (let n = 0; n < 105; n += 1) askAsCrowd();
  await eventually(() => {
    askAsCrowd();
    expect(statuses).toContain(503);
  });
  const modest = await call('ticket', 'GET', `${path}/one`, { headers: bearer('tok_modest') });
  expect(modest.status).toBe(200);
  await upstream.close();
  await Promise.all(asked);
});

test('a caller over its limit is refused while identity does not answer, others wait for it', async () => {
  let isHanging = false;
  const principal = { kind: 'caller', caller };
  const identity = await startUpstream((_req, res) => {
    if (!isHanging) res.end(JSON.stringify({ principal, expiresAt: null }));
  });
  stopAfter(identity.close);
  let at = Date.now();
  const logged: (string | null)[] = [];
  const { call } = await startWith({
    services: { identity: identity.url },
    rateLimitPerMinute: 2,
    now: () => at,
    logAccess: ({ companyId }) => void logged.push(companyId),
  });
  const ask = async (token: string) => (await call('ticket', 'GET', path, { headers: bearer(token) })).status;
  expect([await ask('flood'), await ask('flood'), await ask('modest')]).toEqual([200, 200, 200]);
  isHanging = true;
  // What identity said is out of date by now.
  at += 10_000;
  const waiting = ask('modest');
  expect(await ask('flood')).toBe(429);
  await eventually(() => expect(logged[3]).toBe(caller.companyId));
  await identity.close();
  expect(await waiting).toBe(502);
});
