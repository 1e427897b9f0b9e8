import { exportedRows, profiled } from '@app/testing';
import { exportSources } from '../../exports/export-sources.ts';
import { createInvoicePages } from '../../exports/invoice-page-store.ts';
import { quiet, useService } from '../reconciliation.ts';

const service = useService(quiet);

test('every invoice of a client comes once with its files, in whatever pages, and none of another client', async () => {
  const [own, stranger] = [await service.world(), await service.world()];
  const made: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    made.push((await service.ingest(own.id, { number: `FA-${n}` }))._id);
    await service.ingest(stranger.id, { number: `FB-${n}` });
  }
  // What the provider deleted before it came here is no invoice.
  const gone = {
    _id: 'a'.repeat(24),
    client_id: own.id,
    provider: 'sandbox',
    external_id: 'gone',
    gone_at: new Date(),
  };
  await service.connection.collection('invoices').insertOne(gone as never);
  const sources = exportSources({ invoicePages: createInvoicePages(service.connection) });
  let exported = await exportedRows(sources['invoices'], { id: stranger.id, kind: 'client' });
  const operations = await profiled(service, async () => {
    exported = await exportedRows(sources['invoices'], { id: own.id, kind: 'client' });
  });
  const { rows, files, text } = exported;
  expect(rows.map(({ id }) => id).sort()).toEqual([...made].sort());
  expect(rows.map(({ number }) => number).sort()).toEqual(['FA-0', 'FA-1', 'FA-2']);
  expect(rows[0]).toMatchObject({ client: own.id, state: expect.any(String), history: expect.any(Array) });
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(rows.map(({ payload }) => payload)));
  expect(text).not.toContain(stranger.id);
  const reads = operations.filter(
    ({ ns, command }) => ns.endsWith('.invoices') && JSON.stringify(command).includes('"min"'),
  );
  expect(reads.length).toBeGreaterThan(2);
  expect(JSON.stringify(reads)).not.toMatch(/COLLSCAN|"hasSortStage":true/);
});

test('a contractor has no invoices here', async () => {
  const { contractor } = await service.world();
  const sources = exportSources({ invoicePages: createInvoicePages(service.connection) });
  expect((await exportedRows(sources['invoices'], { id: contractor.id, kind: 'contractor' })).rows).toEqual([]);
});
