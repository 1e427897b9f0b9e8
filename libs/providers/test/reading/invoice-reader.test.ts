import { costlyInvoice } from '@app/testing';
import { formats } from '../../formats.ts';
import { createInvoiceReader, type InvoiceReader } from '../../reading/invoice-reader.ts';
import { ublInvoice } from '../ubl-invoice.ts';

const raw = Buffer.from(JSON.stringify({ flowId: 'f', flowSyntax: 'UBL', acknowledgement: { status: 'Ok' } }));
const good = ublInvoice();
/** Costly enough to be killed, or to be observed while it runs. */
const costly = () => costlyInvoice(150_000);
let readers: InvoiceReader[] = [];
afterEach(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
  readers = [];
});

function readerOf(given: Partial<Parameters<typeof createInvoiceReader>[0]> = {}) {
  const counts = { began: 0, ended: 0 };
  const observe = {
    began() {
      counts.began += 1;
    },
    ended() {
      counts.ended += 1;
    },
  };
  // Far above the default, so that no result depends on how busy the machine is.
  const reader = createInvoiceReader({ slowMayWait: false, timeoutMs: 50_000, observe, ...given });
  readers.push(reader);
  const read = (document: Buffer, owner = 'client') =>
    reader.read({ format: 'afnor', owner, withPayload: (use) => use({ raw: Buffer.from(raw), document }) });
  return { reader, read, counts };
}

test('an invoice read by a worker process equals one read directly, with the fields that a reply repeats', async () => {
  const { reader, read } = readerOf();
  expect(await read(Buffer.from(good))).toEqual(formats.afnor(raw, good));
  const payload = { raw: Buffer.from(raw), document: Buffer.from(good) };
  const answerable = await reader.read({
    format: 'afnor_to_answer',
    owner: 'client',
    withPayload: (use) => use(payload),
  });
  expect(answerable).toEqual(formats.afnor_to_answer(raw, good));
});

test('while a document is read, the event loop stays responsive', async () => {
  const { read, counts } = readerOf();
  await read(Buffer.from(good));
  const reading = read(costly());
  let turns = 0;
  const counting = setInterval(() => {
    if (counts.began > counts.ended) turns += 1;
  }, 1);
  await reading.finally(() => clearInterval(counting));
  expect(turns).toBeGreaterThan(10);
});

test('a document that takes longer than it may is refused, with that reason', async () => {
  const { read } = readerOf({ timeoutMs: 100, slowMayWait: true });
  const message = 'the document could not be read within 0.1 s';
  await expect(read(costly())).rejects.toMatchObject({ kind: 'invalid', code: 'document_refused', message });
});

test('a document that takes more memory than it may is refused, delays no other company, and throttles its owner', async () => {
  const { read } = readerOf({ memoryMb: 32 });
  const message = 'the document takes more memory to read than any invoice needs';
  const refused = expect(read(costly(), 'one')).rejects.toMatchObject({
    kind: 'invalid',
    code: 'document_refused',
    message,
  });
  expect((await read(Buffer.from(good), 'other')).number).toBe('FA-2026-0101');
  await refused;
  // From now on its owner may have one document read at a time; others are refused for now.
  const [first, second] = await Promise.allSettled([read(Buffer.from(good), 'one'), read(Buffer.from(good), 'one')]);
  expect(first).toMatchObject({ status: 'fulfilled', value: { number: 'FA-2026-0101' } });
  expect(second).toMatchObject({ status: 'rejected', reason: { kind: 'overloaded', code: 'reader_busy' } });
});

test('an invoice with more text than is kept is unmappable before it leaves its process', async () => {
  const { reader } = readerOf();
  const notes = Array.from({ length: 1_000 }, (_, index) => String(index).padEnd(1_000, 'x'));
  const lines = Array(300).fill({ label: 'y'.repeat(300) });
  const payload = {
    number: 'F-1',
    issue_date: '2026-11-16',
    currency: 'EUR',
    amounts: { ht: '1', tva: '0', ttc: '1' },
    notes,
    lines,
  };
  const reading = reader.read({
    format: 'sandbox',
    owner: 'client',
    withPayload: (use) => use({ raw: Buffer.from(JSON.stringify(payload)), document: null }),
  });
  await expect(reading).rejects.toMatchObject({
    code: 'unmappable',
    message: expect.stringContaining('more lines and texts'),
  });
});

test('a failed download does not count against the document, and the next one is read', async () => {
  const { reader, read } = readerOf();
  const lost = reader.read({
    format: 'afnor',
    owner: 'client',
    withPayload: () => Promise.reject(new Error('no storage')),
  });
  await expect(lost).rejects.toThrow('no storage');
  expect((await read(Buffer.from(good))).number).toBe('FA-2026-0101');
});
