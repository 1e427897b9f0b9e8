import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { type InvoiceStatus, noDetails, type StatusReason, statusRule } from '@app/contracts';
import type { Fault } from '@app/demo';
import { formats } from '../formats.ts';
import type { ClientOptions, ProviderClient } from '../provider.ts';
import { ProviderError, type ProviderErrorKind } from '../provider-error.ts';
import { startFakeAfnor } from './afnor/fake-afnor.ts';
import {
  allPages,
  bytesOf,
  clientOf,
  closeReader,
  type FakeProvider,
  feedbackOn,
  idsIn,
  knownInvoice,
} from './fake-provider.ts';
import { startFakePennylane } from './pennylane/fake-pennylane.ts';
import { startSandbox } from './sandbox/fake-sandbox.ts';

const since = new Date(Date.now() - 3_600_000);
afterAll(closeReader);

async function errorOf(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProviderError)) throw error;
  return error;
}

describe.each([
  ['sandbox', startSandbox],
  ['pennylane', startFakePennylane],
  ['afnor', startFakeAfnor],
] as const)('%s', (_key, start) => {
  let fake: FakeProvider;
  let client: ProviderClient;
  const connect = (given: Partial<ClientOptions> = {}) => clientOf(fake, given);
  const normalize = (raw: Buffer, document: Buffer | null) => formats[fake.provider.format](raw, document);
  const feedback = (outcome: 'taken_in_charge' | 'reversed') => feedbackOn(fake.known, { outcome });

  beforeEach(async () => {
    fake = await start();
    client = connect();
  });
  afterEach(() => fake.close());

  test('an invoice is fetched with its document, and maps to the canonical invoice to the cent', async () => {
    const { raw, document } = await client.fetchInvoice(fake.known);
    const bytes = await bytesOf(document?.stream);
    expect(bytes.equals(fake.documentBytes)).toBe(true);
    expect(document?.name).toMatch(/^[\w.-]+\.(pdf|xml)$/);
    expect(normalize(raw, bytes)).toMatchObject(knownInvoice);
  });

  test('the same invoice is the same bytes, and the same bytes are the same canonical invoice', async () => {
    const [one, other] = [await client.fetchInvoice(fake.known), await connect().fetchInvoice(fake.known)];
    expect(one.raw.equals(other.raw)).toBe(true);
    const bytes = await bytesOf(one.document?.stream);
    other.document?.stream.destroy();
    const before = Buffer.from(one.raw);
    expect(normalize(one.raw, bytes)).toEqual(normalize(other.raw, bytes));
    expect(one.raw.equals(before)).toBe(true);
  });

  test('an unknown payload is unmappable', () => {
    for (const raw of ['', 'no json', '[]', '{}', '{"invoice":{"number":1}}']) {
      expect(() => normalize(Buffer.from(raw), null)).toThrow(
        expect.objectContaining({ kind: 'invalid', code: 'unmappable' }),
      );
    }
  });

  test.each(['unknown', '12345678901', '../admin/accounts', '..', 'a/b?c=d#e', 'é€', ''])(
    'no invoice has the id %j',
    async (id) => {
      expect((await errorOf(client.fetchInvoice(id))).kind).toBe('not_found');
      expect((await errorOf(client.sendFeedback({ ...feedback('taken_in_charge'), externalId: id }))).kind).toBe(
        'not_found',
      );
    },
  );

  test('changes are listed page by page, oldest first, and the next poll starts at the watermark', async () => {
    const added = Array.from({ length: 250 }, (_, number) => fake.add(number));
    const pages = await allPages(client, since);
    expect(idsIn(pages)).toEqual([fake.known, ...added]);
    expect(pages.some(({ changes }) => changes.some(({ deleted }) => deleted))).toBe(false);
    const watermark = pages.findLast((page) => page.watermark !== null)?.watermark as Date;
    expect(idsIn(await allPages(client, watermark))).toContain(added.at(-1));
    const later = fake.add(1000);
    expect(idsIn(await allPages(client, watermark))).toContain(later);
  });

  test('without changes the page is empty and has no watermark', async () => {
    const page = await client.listChanged(new Date(Date.now() + 3_600_000), null);
    expect(page).toEqual({ changes: [], cursor: null, watermark: null, answeredAt: expect.any(Date) });
  });

  test('a deletion is listed and the invoice is gone, if the provider deletes', async () => {
    const id = fake.add(1);
    fake.remove?.(id);
    const changes = (await allPages(client, since)).flatMap((page) => page.changes);
    const deleted = fake.remove !== null;
    expect(changes.findLast(({ externalId }) => externalId === id)).toEqual({
      externalId: id,
      deleted,
      changedAt: expect.any(Date),
    });
    const found = client.fetchInvoice(id).then(({ document }) => document?.stream.destroy());
    await (deleted ? expect(found).rejects.toMatchObject({ kind: 'not_found' }) : found);
  });

  test.each(['another-key', 'a key\nwith two lines', 'clé €', ''])(
    'the key %j is unauthorized, everywhere',
    async (key) => {
      const stranger = connect({ credentials: { apiKey: key } });
      const kinds = await Promise.all(
        [
          stranger.fetchInvoice(fake.known),
          stranger.listChanged(since, null),
          stranger.sendFeedback(feedback('taken_in_charge')),
        ].map(async (call) => (await errorOf(call)).kind),
      );
      expect(kinds).toEqual(['unauthorized', 'unauthorized', 'unauthorized']);
    },
  );

  const failures: [string, Fault, ProviderErrorKind][] = [
    ['401', { kind: 'status', status: 401 }, 'unauthorized'],
    ['403', { kind: 'status', status: 403 }, 'unauthorized'],
    ['404', { kind: 'status', status: 404 }, 'not_found'],
    ['410', { kind: 'status', status: 410 }, 'not_found'],
    ['408', { kind: 'status', status: 408 }, 'transient'],
    ['500', { kind: 'status', status: 500 }, 'transient'],
    ['502', { kind: 'status', status: 502 }, 'transient'],
    ['400', { kind: 'status', status: 400 }, 'refused'],
    ['422', { kind: 'status', status: 422 }, 'refused'],
    ['a cut connection', { kind: 'cut' }, 'transient'],
    ['half an answer', { kind: 'half' }, 'transient'],
    ['a page of HTML', { kind: 'garbage' }, 'transient'],
    ['an answer without end', { kind: 'endless' }, 'refused'],
    ['a redirect to another host', { kind: 'redirect', to: 'http://localhost:1/' }, 'refused'],
    ['a redirect in a circle', { kind: 'redirect', to: '/round' }, 'refused'],
  ];
  test.each(failures)('%s', async (_name, fault, kind) => {
    fake.fail(fault);
    const errors = [await errorOf(client.fetchInvoice(fake.known)), await errorOf(client.listChanged(since, null))];
    expect(errors.map((error) => error.kind)).toEqual([kind, kind]);
    for (const error of errors) {
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(fake.apiKey);
      expect(error.message.length).toBeLessThan(300);
    }
    fake.heal();
    expect((await client.fetchInvoice(fake.known)).raw.length).toBeGreaterThan(0);
  });

  test.each([
    ['30', 30_000, 30_000],
    ['0', 1_000, 1_000],
    ['no moment', 60_000, 60_000],
    [new Date(Date.now() + 3_600_000).toUTCString(), 3_000_000, 3_600_000],
    [new Date(Date.now() - 3_600_000).toUTCString(), 1_000, 1_000],
    ['99999999', 24 * 3_600_000, 24 * 3_600_000],
  ])('429 with retry-after %s', async (retryAfter, least, most) => {
    fake.fail({ kind: 'status', status: 429, retryAfter });
    for (const call of [
      client.listChanged(since, null),
      client.fetchInvoice(fake.known),
      client.sendFeedback(feedback('taken_in_charge')),
    ]) {
      const error = await errorOf(call);
      expect(error.kind).toBe('rate_limited');
      expect(error.retryAfterMs).toBeGreaterThanOrEqual(least);
      expect(error.retryAfterMs).toBeLessThanOrEqual(most);
    }
  });

  test('429 without retry-after waits a minute; 503 passes its own on', async () => {
    fake.fail({ kind: 'status', status: 429, times: 1 });
    expect((await errorOf(client.listChanged(since, null))).retryAfterMs).toBe(60_000);
    fake.fail({ kind: 'status', status: 503, retryAfter: '7', times: 1 });
    expect(await errorOf(client.listChanged(since, null))).toMatchObject({ kind: 'transient', retryAfterMs: 7_000 });
  });

  test('a provider that does not answer is not waited for', async () => {
    fake.fail({ kind: 'hang' });
    const impatient = connect({ timeoutMs: 300 });
    expect(await errorOf(impatient.listChanged(since, null))).toMatchObject({ kind: 'transient', code: 'timeout' });
    expect((await errorOf(impatient.fetchInvoice(fake.known))).kind).toBe('transient');
  });

  test('a provider that is not there is a transient failure', async () => {
    const port = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port: bound } = server.address() as AddressInfo;
        server.close(() => resolve(bound));
      });
    });
    const nowhere = connect({ baseUrl: `http://127.0.0.1:${port}/` });
    expect(await errorOf(nowhere.listChanged(since, null))).toMatchObject({ kind: 'transient', code: 'ECONNREFUSED' });
  });

  test('an aborted call rejects with the reason of the signal of the caller', async () => {
    fake.fail({ kind: 'hang' });
    const reason = new Error('the connection was deleted');
    const stop = new AbortController();
    const call = client.fetchInvoice(fake.known, stop.signal);
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test('a lost list of changes is a failure, not an empty list', async () => {
    fake.fail({ kind: 'status', status: 200, body: { error: 'maintenance' } });
    expect((await errorOf(client.listChanged(since, null))).kind).toBe('transient');
  });

  test('feedback is given once, however often it is sent', async () => {
    await client.sendFeedback(feedback('taken_in_charge'));
    await client.sendFeedback(feedback('taken_in_charge'));
    await connect().sendFeedback(feedback('taken_in_charge'));
    expect(fake.feedbackCount(fake.known, 'taken_in_charge')).toBe(1);
  });

  test('feedback whose answer was lost is there, and the repetition succeeds', async () => {
    fake.fail({ kind: 'lost', on: fake.writePattern });
    await errorOf(client.sendFeedback(feedback('taken_in_charge')));
    fake.heal();
    await client.sendFeedback(feedback('taken_in_charge'));
    expect(fake.feedbackCount(fake.known, 'taken_in_charge')).toBe(1);
  });

  test('a reversal is reported if the provider has a status for it, and harmless if not', async () => {
    await client.sendFeedback(feedback('taken_in_charge'));
    await client.sendFeedback(feedback('reversed'));
    await client.sendFeedback(feedback('reversed'));
    expect(fake.feedbackCount(fake.known, 'reversed')).toBe(fake.canReverse ? 1 : 0);
    await client.sendFeedback(feedback('taken_in_charge'));
    expect(fake.feedbackCount(fake.known, 'taken_in_charge')).toBe(fake.canReverse ? 2 : 1);
  });

  test('every status that the provider passes on is told once, with each of its reasons', async () => {
    const { taken_in_charge: _link, ...heard } = fake.provider.capabilities.statuses;
    const told = Object.entries(heard) as [InvoiceStatus, { reasons: readonly StatusReason[] }][];
    let number = 0;
    for (const [status, { reasons }] of told) {
      const payment = statusRule(status).needs.includes('amount') ? { amount: 12.5, date: '2026-11-19' } : {};
      for (const reason of reasons.length > 0 ? reasons : [null]) {
        number += 1;
        const id = fake.add(number);
        const details = { ...noDetails, reason, note: 'Not for us', ...payment };
        const before = fake.feedbackCount(id, status);
        await client.sendFeedback(feedbackOn(id, { outcome: status, details }));
        await client.sendFeedback(feedbackOn(id, { outcome: status, details }));
        expect([status, reason, fake.feedbackCount(id, status)]).toEqual([status, reason, before + 1]);
      }
    }
  });

  test('a refusal is final and says why, without the key', async () => {
    const message = `the period is closed for ${fake.apiKey}`;
    fake.fail({ kind: 'status', status: 422, body: { code: 'closed', message } });
    const error = await errorOf(client.sendFeedback(feedback('taken_in_charge')));
    expect(error).toMatchObject({ kind: 'refused', code: 'closed', status: 422 });
    expect(error.message).toContain('the period is closed');
    expect(inspect(error, { depth: 10 })).not.toContain(fake.apiKey);
  });
});
