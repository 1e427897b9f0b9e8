import { type InvoiceFetched, invoiceFetched } from '@app/contracts';
import { newId } from '@app/kernel';
import { costlyInvoice, emptyLines, eventually, flowOf, ublWith } from '@app/testing';
import { type Service, startService } from '../reconciliation.ts';

/** Limits high enough for any document on a busy machine. */
const roomy = { timeoutMs: 50_000 };
/** Limits too low for a costly document. */
const narrow = { timeoutMs: 50_000, memoryMb: 32 };
const patienceMs = 150_000;
jest.setTimeout(600_000);
const costlyDocument = costlyInvoice(150_000);

let service: Service;
const begin = async (reading: object) => {
  service = await startService({ reading });
};
afterEach(async () => {
  await service.drop();
  await service.stop();
});

/** The event of an e-invoice that came from an approved platform. */
async function eventOf(client_id: string, document: Buffer): Promise<InvoiceFetched> {
  const external_id = newId();
  const flow = Buffer.from(JSON.stringify(flowOf(external_id, document)));
  const [raw, stored] = [await service.stored(flow), await service.stored(document, 'application/xml')];
  return service.payload(client_id, {}, { provider: 'afnor', external_id, raw, document: stored });
}

async function resting(event: InvoiceFetched, expected: object): Promise<void> {
  await eventually(async () => expect(await service.invoice(event)).toMatchObject(expected), patienceMs);
}

test('while a document is read, other requests are answered and other invoices taken in', async () => {
  await begin(roomy);
  const other = service.as();
  const costly = await eventOf(newId(), costlyDocument);
  const good = await eventOf(other.caller.companyId, ublWith('<cbc:Note>good</cbc:Note>'));
  await service.publish(invoiceFetched, costly);
  await eventually(() => expect(service.reading.began).toBe(1), patienceMs);
  const { status } = await other.call('get', '/invoices');
  expect([status, service.reading.ended]).toEqual([200, 0]);
  await service.publish(invoiceFetched, good);
  await resting(good, { state: 'ticket_unmatched', canonical: { number: 'F-1' } });
  await resting(costly, { state: 'ticket_unmatched', canonical: { number: 'F-1' } });
});

test('a document whose reading was stopped is refused with the reason, and a resync tries again', async () => {
  await begin(narrow);
  const client = service.as();
  const event = await eventOf(client.caller.companyId, costlyDocument);
  await service.publish(invoiceFetched, event);
  const reason = 'the document takes more memory to read than any invoice needs';
  await resting(event, { state: 'error', failure: { code: 'document_refused' }, due_at: null });
  const found = await service.invoice(event);
  const shown = await client.call('get', `/invoices/${found?._id}`);
  expect(shown.data).toMatchObject({ error: { step: 'normalize', code: 'document_refused', attempts: 1 } });
  expect(shown.data.history.at(-1)).toMatchObject({ to: 'error', reason });
  const fetched_at = new Date().toISOString();
  await service.publish(invoiceFetched, { ...event, fetched_at, resync: true });
  await eventually(async () => {
    expect((await service.invoice(event))?.history.map(({ to }) => to)).toEqual([
      'received',
      'error',
      'received',
      'error',
    ]);
  }, patienceMs);
});

test('a refused document keeps the sentence that says why', async () => {
  await begin(roomy);
  const event = await eventOf(newId(), emptyLines(60_000));
  await service.publish(invoiceFetched, event);
  await resting(event, { state: 'error', failure: { code: 'unmappable' } });
  const reason = 'the invoice has more than 10000 lines (BG-25)';
  expect((await service.invoice(event))?.history.at(-1)).toMatchObject({ reason });
});

test('slow documents of one company do not delay the invoice of another', async () => {
  await begin(narrow);
  const [hostile, other] = [newId(), newId()];
  const first = await eventOf(hostile, costlyDocument);
  const more = Array.from({ length: 60 }, () => ({ ...first, external_id: newId() }));
  const good = await eventOf(other, ublWith(''));
  await service.publish(invoiceFetched, ...more, good);
  await resting(good, { state: 'ticket_unmatched' });
  const invoices = service.connection.collection('invoices');
  // They wait without occupying a worker, and none is lost.
  await eventually(async () => expect(await invoices.countDocuments({ client_id: hostile })).toBe(60), patienceMs);
  const waiting = { client_id: hostile, state: 'received', due_at: { $gt: new Date() } };
  expect(await invoices.countDocuments(waiting)).toBeGreaterThan(40);
  await eventually(() => expect(service.reading.ended).toBe(service.reading.began), patienceMs);
  const one = await invoices.findOneAndUpdate(waiting, { $set: { due_at: new Date() } });
  await resting(
    { ...first, external_id: one?.['external_id'] },
    { state: 'error', failure: { code: 'document_refused' } },
  );
});
