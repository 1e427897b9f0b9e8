import { newId } from '@app/kernel';
import { connectMongo } from '@app/runtime';
import { exportedRows, profiled, testInfra } from '@app/testing';
import { exportSources } from '../../exports/export-sources.ts';
import { createPurchaseStore } from '../../purchases/purchase-store.ts';
import { anOrder, pdf, usePurchases } from '../purchase-service.ts';

const quietRelay = { watch: () => undefined, committed: () => undefined };
const service = usePurchases();

test('a company takes along its own documents with their files, and the orders that are addressed to it', async () => {
  const [buyer, stranger] = [service.as(), service.as()];
  const supplier = newId();
  const made: string[] = [];
  for (const [client, kind] of [
    [buyer, 'purchase_order'],
    [buyer, 'purchase_request'],
    [stranger, 'purchase_order'],
    [buyer, 'purchase_order'],
  ] as const) {
    const ticket = service.tickets.add(client.id);
    ticket.contractor = { contractor_id: newId(), company_id: supplier };
    const { data } = await client.create(ticket.id, anOrder(kind));
    if (client === buyer) made.push(data.purchase.id);
    if (made.length === 1) await client.attach(ticket.id, data.purchase.id);
    if (made.length === 3) await client.remove(ticket.id, data.purchase.id);
  }
  const connection = await connectMongo({ url: testInfra().mongodbUrl, database: service.connection.name });
  const sources = exportSources({ purchases: createPurchaseStore({ connection, relay: quietRelay as never }) });
  let own = await exportedRows(sources['purchases'], { id: buyer.id, kind: 'client' });
  expect(own.rows.map(({ id }) => id)).toEqual(made.slice(0, 2));
  expect(own.files).toHaveLength(1);
  expect(own.rows[0].file).toBe(own.files[0]?.path);
  expect(own.files[0]?.path).toMatch(new RegExp(`/${pdf.name}$`));
  expect(own.text).not.toContain(stranger.id);

  const operations = await profiled({ connection }, async () => {
    own = await exportedRows(sources['purchases_received'], { id: supplier, kind: 'contractor' });
  });
  // Requests stay with their buyer; the third order was deleted.
  expect(own.rows.map(({ kind }) => kind)).toEqual(['purchase_order', 'purchase_order']);
  expect(JSON.stringify(operations)).not.toMatch(/COLLSCAN|"hasSortStage":true/);
  await connection.close();
});
