import { request } from 'node:http';
import { metrics } from '@app/runtime';
import { eventually } from '@app/testing';
import { type Access, createAccessLog } from '../../responses/access-log.ts';
import { apiToken, bearer, caller } from '../gateway.ts';
import { before, type Handle, stopAll } from '../upstreams.ts';

const path = '/api/v3.0/tickets/0123456789abcdef01234567';
afterEach(stopAll);

async function logging(handle?: Handle, accessLogSampleRate = 1) {
  const lines: Access[] = [];
  const logAccess = (access: Access) => void lines.push(access);
  return { ...(await before(handle, { logAccess, accessLogSampleRate })), lines };
}

test('each request is logged in one line with its request id, operation, company and outcome', async () => {
  const { call, lines } = await logging((_req, res) => {
    res.writeHead(409, { 'X-Route': '/api/v3.0/tickets/:ticket_id', 'content-type': 'application/json' }).end('{}');
  });
  const answer = await call('ticket', 'PATCH', `${path}?q=secret`, { headers: bearer() });
  await eventually(() => expect(lines).toHaveLength(1));
  expect(lines).toEqual([
    {
      requestId: answer.headers['x-request-id'],
      method: 'PATCH',
      route: '/api/v3.0/tickets/:ticket_id',
      status: 409,
      durationMs: expect.any(Number),
      companyId: caller.companyId,
      complete: true,
    },
  ]);
  expect(answer.headers).not.toHaveProperty('x-route');
});

test('requests that the gateway refuses are logged too, without secrets of the client', async () => {
  const { call, lines } = await logging();
  await call('ticket', 'GET', path);
  await call('ticket', 'GET', '/secret/path', { headers: bearer() });
  await call('download', 'GET', '/files/secret');
  await eventually(() => expect(lines).toHaveLength(3));
  expect(lines.map(({ status, route, companyId }) => [status, route, companyId])).toEqual([
    [401, '/api/v3.0', null],
    [404, null, null],
    [200, '/files', null],
  ]);
  expect(JSON.stringify(lines)).not.toMatch(new RegExp(`secret|${apiToken}|0123456789abcdef`));
});

test('a client that disconnects before its response is logged as such', async () => {
  const { ports, lines, upstream } = await logging(() => undefined);
  const req = request({ host: '127.0.0.1', port: ports.ticket, path, headers: bearer() }).on('error', () => undefined);
  req.end();
  await eventually(() => expect(upstream.connections.size).toBe(1));
  req.destroy();
  await eventually(() => expect(lines).toMatchObject([{ status: 499, complete: false }]));
});

test('a response that breaks off is logged as such', async () => {
  const { call, lines } = await logging((_req, res) => void res.writeHead(200).write('half', () => res.destroy()));
  await expect(call('ticket', 'GET', path, { headers: bearer() })).rejects.toMatchObject({ code: 'ECONNRESET' });
  await eventually(() => expect(lines).toMatchObject([{ status: 200, complete: false }]));
});

test.each([
  [200, true, 0, 0, 0],
  [200, true, 0.1, 0.09, 1],
  [200, true, 0.1, 0.1, 0],
  [200, true, 1, 0.999, 1],
  [200, false, 0, 0, 1],
  [404, true, 0, 0, 1],
  [429, true, 0, 0, 0],
  [503, true, 0, 0, 1],
])(
  'of status %i (whole: %s), sampled at %f, a draw of %f leaves %i lines',
  (status, complete, sampleRate, drawn, count) => {
    const lines: Access[] = [];
    const log = createAccessLog({ write: (line) => lines.push(line), sampleRate, random: () => drawn });
    log({ requestId: 'r', method: 'GET', route: null, status, durationMs: 1, companyId: null, complete });
    expect(lines).toHaveLength(count);
  },
);

test('each response is measured under the pattern of its route, never under its path', async () => {
  metrics.resetMetrics();
  const { call } = await before((_req, res) => {
    res.writeHead(409, { 'X-Route': '/api/v3.0/tickets/:ticket_id', 'content-type': 'application/json' }).end('{}');
  });
  await call('ticket', 'PATCH', `${path}?q=secret`, { headers: bearer() });
  // Refused before a service is asked: the gateway knows the prefix only.
  await call('ticket', 'GET', path);
  await call('ticket', 'GET', '/secret/path', { headers: bearer() });
  await eventually(async () => {
    const text = await metrics.metrics();
    const counts = text.split('\n').filter((line) => line.startsWith('gateway_request_duration_seconds_count'));
    expect(counts.sort()).toEqual([
      'gateway_request_duration_seconds_count{method="GET",service="gateway",route="",status="404"} 1',
      'gateway_request_duration_seconds_count{method="GET",service="ticket",route="/api/v3.0",status="401"} 1',
      'gateway_request_duration_seconds_count{method="PATCH",service="ticket",route="/api/v3.0/tickets/:ticket_id",status="409"} 1',
    ]);
  });
});
