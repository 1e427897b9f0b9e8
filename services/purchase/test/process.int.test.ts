import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { ticketPurchaseAdded } from '@app/contracts';
import { aCaller, eventually, type ServiceProcess, signAs, startServiceProcess } from '@app/testing';
import { anOrder, clientOf, type Purchases, startPurchases } from './purchase-service.ts';

const mib = 1024 * 1024;

let service: Purchases;
const processes: ServiceProcess[] = [];

beforeAll(async () => {
  // The same as in the process: both consume the same queues.
  service = await startPurchases({ retryDelayMs: 5_000 });
});
afterEach(async () => {
  for (const one of processes.splice(0)) await one.kill();
});
afterAll(() => service.drop());

/** The service as a process of its own, on the same infrastructure as the one that records events. */
async function startProcess(settings: Record<string, string> = {}): Promise<ServiceProcess> {
  const started = await startServiceProcess(join(__dirname, '../main.ts'), {
    NAMESPACE: service.namespace,
    TICKET_URL: service.tickets.url,
    // Another time zone: what a date means must not depend on where the service runs.
    TZ: 'America/New_York',
    ...settings,
  });
  processes.push(started);
  return started;
}

test('the process answers health checks, exports metrics, and stops on a signal', async () => {
  const { child, url, ops } = await startProcess();
  const caller = aCaller();
  const ticket = service.tickets.add(caller.companyId);
  expect((await clientOf(url, caller).create(ticket.id)).status).toBe(201);
  expect((await fetch(`${ops}/healthz`)).status).toBe(200);
  const metrics = await (await fetch(`${ops}/metrics`)).text();
  expect(metrics).toContain('route="/api/v3.0/tickets/:ticket_id/purchases",status="201"');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('on SIGTERM the process is no longer ready, but serves for the drain delay, ending each connection', async () => {
  const { child, url, ops } = await startProcess({ DRAIN_DELAY: '1h' });
  const caller = aCaller();
  const ticket = service.tickets.add(caller.companyId);
  child.kill('SIGTERM');
  await eventually(async () => {
    const response = await fetch(`${ops}/readyz`);
    expect([response.status, await response.json()]).toMatchObject([503, { reason: 'it stops' }]);
  });
  const { status, headers } = await clientOf(url, caller).create(ticket.id);
  expect([status, headers['connection']]).toEqual([201, 'close']);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('a date without a zone is UTC, wherever the service runs', async () => {
  const { url } = await startProcess();
  const client = clientOf(url, aCaller());
  const ticket = service.tickets.add(client.id);
  const sent = ['2026-11-20', '2026-11-20T10:00', '2026-11-20 10:00:30', '2026-11-20 10:00+02:00'];
  const answers = await Promise.all(sent.map((date) => client.create(ticket.id, { date })));
  expect(answers.map(({ data }) => data.purchase.date)).toEqual([
    '2026-11-20T00:00:00.000Z',
    '2026-11-20T10:00:00.000Z',
    '2026-11-20T10:00:30.000Z',
    '2026-11-20T08:00:00.000Z',
  ]);
});

test('killed during a push: the document exists, and is published', async () => {
  const { url, kill } = await startProcess();
  const caller = aCaller();
  const ticket = service.tickets.add(caller.companyId);
  const body = anOrder();
  service.tickets.pushBehaviour = 'mute';
  const answer = clientOf(url, caller)
    .create(ticket.id, body)
    .then(
      () => 'answered',
      () => 'cut',
    );
  await eventually(async () => expect(await service.stored({ ticket_id: ticket.id })).toHaveLength(1));
  await kill();
  service.tickets.pushBehaviour = 'well';
  expect(await answer).toBe('cut');
  const again = await startProcess();
  const { status, data } = await clientOf(again.url, caller).create(ticket.id, body);
  expect([status, data.created]).toEqual([200, false]);
  await eventually(() => {
    const published = service
      .published(ticketPurchaseAdded)
      .filter(({ data: { payload } }) => payload.purchase.id === data.purchase.id);
    expect(new Set(published.map((event) => event.id)).size).toBe(1);
  });
});

test('twenty files of 20 MiB at once are never in memory', async () => {
  const { url, resident } = await startProcess();
  const caller = aCaller();
  const ticket = service.tickets.add(caller.companyId);
  const client = clientOf(url, caller);
  const warmUp = (await client.create(ticket.id)).data.purchase.id;
  await client.attach(ticket.id, warmUp);

  const made = await Promise.all(Array.from({ length: 20 }, () => client.create(ticket.id)));
  const before = resident();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, resident());
  }, 50);
  const { authorization } = await signAs(caller);
  const uploads = made.map(({ data }) => {
    const path = `/api/v3.0/tickets/${ticket.id}/purchases/${data.purchase.id}/document`;
    // On a busy machine the fake ticket service, which shares this process, may answer too late: a caller then repeats.
    return eventually(async () => expect(await upload(`${url}${path}`, authorization)).toBe(200));
  });
  await Promise.all(uploads).finally(() => clearInterval(watch));
  // 400 MiB went through; how much unused memory is still held depends on the garbage collector.
  expect(most - before).toBeLessThan(200);
}, 240_000);

/** Sends a form with a file of exactly 20 MiB, a piece at a time. */
async function upload(url: string, authorization: string): Promise<number> {
  const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n';
  const req = request(url, {
    method: 'POST',
    // Node's global agent gives up a socket on which nothing moves for 5 s; a busy machine may take longer.
    agent: false,
    headers: { authorization, 'content-type': 'multipart/form-data; boundary=b' },
  });
  const answered = once(req, 'response');
  let isOver = false;
  answered
    .catch(() => undefined)
    .then(() => {
      isOver = true;
    });
  const piece = Buffer.alloc(256 * 1024, 'x');
  req.write(head);
  for (let left = 20 * mib - 9; left > 0 && !isOver; left -= piece.length) {
    if (!req.write(piece.subarray(0, Math.min(left, piece.length)))) {
      await Promise.race([once(req, 'drain'), answered]);
    }
  }
  req.end('\r\n--b--\r\n');
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}
