import { metrics } from '@app/runtime';
import { eventually } from '@app/testing';
import { bearer } from '../gateway.ts';
import { before, stopAll } from '../upstreams.ts';

const path = '/api/v3.0/tickets/0123456789abcdef01234567';
afterEach(stopAll);

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
