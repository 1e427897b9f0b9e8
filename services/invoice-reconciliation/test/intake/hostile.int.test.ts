import { type InvoiceFetched, invoiceFetched } from '@app/contracts';
import { newId } from '@app/kernel';
import { costlyInvoice, eventually, ublWith } from '@app/testing';
import { useService } from '../reconciliation.ts';

const patienceMs = 250_000;
jest.setTimeout(600_000);
/** Limits too low for a costly document. */
const service = useService({ reading: { timeoutMs: 50_000, memoryMb: 32 } });
const costlyDocument = costlyInvoice(150_000);

const resting = (event: InvoiceFetched, expected: object) =>
  eventually(async () => expect(await service.invoice(event)).toMatchObject(expected), patienceMs);

/** The event of an e-invoice that came from an approved platform. */
async function eventOf(client_id: string, document: Buffer): Promise<InvoiceFetched> {
  const external_id = newId();
  const acknowledgement = { status: 'Ok' };
  const flow = Buffer.from(JSON.stringify({ flowId: external_id, flowSyntax: 'UBL', acknowledgement }));
  const [raw, stored] = [await service.stored(flow), await service.stored(document, 'application/xml')];
  return service.payload(client_id, {}, { provider: 'afnor', external_id, raw, document: stored });
}

test('a document whose reading was stopped is refused with the reason, and a resync tries again', async () => {
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
  await service.publish(invoiceFetched, { ...event, fetched_at, sequence: event.sequence + 1, resync: true });
  await eventually(async () => {
    expect((await service.invoice(event))?.history.map(({ to }) => to)).toEqual([
      'received',
      'error',
      'received',
      'error',
    ]);
  }, patienceMs);
});

test('slow documents of one company do not delay the invoice of another', async () => {
  const [hostile, other] = [newId(), newId()];
  const first = await eventOf(hostile, costlyDocument);
  const more = Array.from({ length: 30 }, () => ({ ...first, external_id: newId() }));
  const good = await eventOf(other, ublWith(''));
  await service.publish(invoiceFetched, ...more, good);
  await resting(good, { state: 'ticket_unmatched' });
  const invoices = service.connection.collection('invoices');
  // They wait without occupying a worker, and none is lost.
  await eventually(async () => expect(await invoices.countDocuments({ client_id: hostile })).toBe(30));
  const waiting = { client_id: hostile, state: 'received', due_at: { $gt: new Date() } };
  expect(await invoices.countDocuments(waiting)).toBeGreaterThan(20);
  await eventually(() => expect(service.reading.ended).toBe(service.reading.began));
  const one = await invoices.findOneAndUpdate(waiting, { $set: { due_at: new Date() } });
  await resting(
    { ...first, external_id: one?.['external_id'] },
    { state: 'error', failure: { code: 'document_refused' } },
  );
});
