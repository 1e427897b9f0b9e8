import { type AttachedFile, type PurchaseSnapshot, purchaseChanged, purchaseFileAttached } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventually } from '@app/testing';
import { type Client, idOf, newTicket, outcome, ticketOfTwo, tickets, usePlatform } from '../platform.ts';
import { aPurchase, withFile } from './fixtures.ts';

const platform = usePlatform();

/** A ticket of a client: `supplier` has it, `competitor` was asked too and may still answer. */
async function aTicketOfTwo() {
  const { client, a: supplier, b: competitor, ticket } = await ticketOfTwo(platform);
  const parties = { ticket, buyer: client.caller.companyId, supplier: supplier.caller.companyId };
  return { client, supplier, competitor, ticket, parties };
}

type File = { purchase: PurchaseSnapshot; document: AttachedFile };
const push = (client: Client, ...purchases: (Omit<File, 'document'> & Partial<File>)[]) =>
  client.put('/internal/purchases', { purchases });
const changed = (purchase: PurchaseSnapshot) => purchaseChanged({ purchase }, new Date(), purchase.id);
const attached = (document: AttachedFile) => purchaseFileAttached({ document }, new Date(), document.purchase_id);
const publish = (...events: Parameters<typeof toCloudEvents>[1]) =>
  platform.broker.publish(toCloudEvents('purchase', events));

async function tab(reader: Client, ticket: string): Promise<string[]> {
  const { documents } = (await reader.get(`${tickets}/${ticket}/documents`)).data;
  return documents.map(({ _id }: { _id: string }) => _id);
}
const link = async (reader: Client, { ticket_id, file }: AttachedFile) =>
  (await reader.get(`${tickets}/${ticket_id}/documents/download-link?s3_key=${file.key}`)).status;
const published = (document: string) => platform.published('document_added', document);
/** The companies that got an event, repeated for each event. */
const publishedTo = (document: string) =>
  published(document)
    .flatMap(({ audience }) => audience)
    .sort();

test('a file is published to who is on the ticket when it is written, not when the ticket was read', async () => {
  const client = platform.as();
  const supplier = await platform.contractorOf(client);
  const ticket = idOf(await newTicket(client));
  const asked = await client.post('/internal/purchase-contexts', { ticket_ids: [ticket] });
  expect(asked.data.contexts).toMatchObject([{ contractor: null }]);
  await client.post(`${tickets}/${ticket}/propose`, { contractor_ids: [supplier.id] });
  const parties = { ticket, buyer: client.caller.companyId, supplier: supplier.caller.companyId };
  const { purchase, document } = withFile(aPurchase(parties));
  expect((await push(client, { purchase, document })).data).toEqual({ kept: [true] });
  await eventually(() => expect(publishedTo(document.id)).toEqual([parties.buyer, parties.supplier].sort()));
});

test('the file of an order is in the Documents tab of its buyer and its supplier alone, and is published once', async () => {
  const { client, supplier, competitor, ticket, parties } = await aTicketOfTwo();
  const file = withFile(aPurchase(parties));
  expect((await push(client, file)).status).toBe(200);
  await publish(changed(file.purchase), attached(file.document), attached(file.document));
  const { documents } = (await client.get(`${tickets}/${ticket}/documents`)).data;
  const { id, file: stored, added_at } = file.document;
  expect(documents).toEqual([
    {
      _id: id,
      name: 'commande.pdf',
      mimetype: 'application/pdf',
      size: 48213,
      hash: stored.hash,
      kind: 'purchase_order',
      visibility: 'shared',
      added_at,
      s3_key: stored.key,
    },
  ]);
  expect([await tab(supplier, ticket), await tab(competitor, ticket)]).toEqual([[id], []]);
  expect([await link(client, file.document), await link(supplier, file.document)]).toEqual([200, 200]);
  expect([await link(competitor, file.document), await link(platform.as(), file.document)]).toEqual([404, 404]);
  const last = withFile(aPurchase(parties));
  await publish(attached(last.document));
  await eventually(() => expect(published(last.document.id)).toHaveLength(1));
  const events = published(id);
  expect(events.map(({ audience }) => [...audience].sort())).toEqual([[parties.buyer, parties.supplier].sort()]);
  expect(events[0]?.payload['document']).toEqual({
    id,
    name: 'commande.pdf',
    mimetype: 'application/pdf',
    size: 48213,
    added_at,
  });
});

test.each(['purchase_request', 'goods_receipt'] as const)('the file of a %s is its buyer’s alone', async (kind) => {
  const { client, supplier, ticket, parties } = await aTicketOfTwo();
  const file = withFile(aPurchase(parties, { kind }));
  await publish(changed(file.purchase), attached(file.document));
  await eventually(async () => expect(await tab(client, ticket)).toEqual([file.document.id]));
  expect([await tab(supplier, ticket), await link(supplier, file.document)]).toEqual([[], 404]);
  await eventually(() =>
    expect(published(file.document.id).map(({ audience }) => audience)).toEqual([[parties.buyer]]),
  );
});

test('earlier files stay in the tab, also once the document is deleted', async () => {
  const { client, supplier, ticket, parties } = await aTicketOfTwo();
  const first = withFile(aPurchase(parties));
  const second = withFile(first.purchase);
  await push(client, first);
  await push(client, second);
  const ids = [first.document.id, second.document.id];
  await push(client, { purchase: { ...second.purchase, version: 4, deleted: true } });
  expect([await tab(client, ticket), await tab(supplier, ticket)]).toEqual([ids, ids]);
  expect((await client.get(`${tickets}/${ticket}`)).data.purchases).toEqual([]);
});

test('a supplier that becomes known later sees every file of the order, whichever write comes first', async () => {
  const { client, supplier, ticket, parties } = await aTicketOfTwo();
  const files: AttachedFile[] = [];
  for (let round = 0; round < 6; round++) {
    const open = withFile(aPurchase({ ...parties, supplier: null }));
    const known = { ...open.purchase, version: 3, supplier_company_id: parties.supplier };
    files.push(open.document);
    // An event names the supplier while the buyer's upload is being pushed.
    const two = [() => push(client, open), () => publish(changed(known))];
    await Promise.all((round % 2 ? two : two.reverse()).map((write) => write()));
  }
  const all = files.map(({ id }) => id).sort();
  await eventually(async () => expect((await tab(supplier, ticket)).sort()).toEqual(all));
  expect((await tab(client, ticket)).sort()).toEqual(all);
  const both = [parties.buyer, parties.supplier].sort();
  await eventually(() => expect(files.map(({ id }) => publishedTo(id))).toEqual(files.map(() => both)));
});

test('a supplier that a file is shared with stays, whatever a later write names', async () => {
  const { client, supplier, competitor, ticket, parties } = await aTicketOfTwo();
  const file = withFile(aPurchase(parties));
  await push(client, file);
  await push(client, {
    ...file,
    purchase: { ...file.purchase, version: 4, supplier_company_id: competitor.caller.companyId },
  });
  expect([await tab(supplier, ticket), await tab(competitor, ticket)]).toEqual([[file.document.id], []]);
});

test('a company that names the order of another as its own shows nobody its file', async () => {
  const { client, supplier, ticket, parties } = await aTicketOfTwo();
  const file = withFile(aPurchase({ ...parties, supplier: null }));
  await push(client, file);
  const thief = await aTicketOfTwo();
  const { ticket: ticket_id, buyer: buyer_company_id, supplier: supplier_company_id } = thief.parties;
  await push(thief.client, {
    purchase: { ...file.purchase, ticket_id, buyer_company_id, supplier_company_id, version: 9 },
  });
  await push(client, { purchase: { ...file.purchase, version: 3, supplier_company_id: parties.supplier } });
  expect(await tab(supplier, ticket)).toEqual([file.document.id]);
  const both = [parties.buyer, parties.supplier].sort();
  await eventually(() => expect(publishedTo(file.document.id)).toEqual(both));
});

test('an order’s file that arrives before anything else of it is shown to the supplier once that is known', async () => {
  const { client, supplier, ticket, parties } = await aTicketOfTwo();
  const open = withFile(aPurchase({ ...parties, supplier: null }));
  await publish(attached(open.document));
  await eventually(async () => expect(await tab(client, ticket)).toEqual([open.document.id]));
  expect(await tab(supplier, ticket)).toEqual([]);
  await publish(changed({ ...open.purchase, version: 3, supplier_company_id: parties.supplier }));
  await eventually(async () => expect(await tab(supplier, ticket)).toEqual([open.document.id]));
  const both = [parties.buyer, parties.supplier].sort();
  await eventually(() => expect(publishedTo(open.document.id)).toEqual(both));
  const [first, late] = published(open.document.id);
  expect([first?.audience, late?.audience]).toEqual([[parties.buyer], [parties.supplier]]);
  expect(late?.payload).toEqual(first?.payload);
});

test('twenty pushes and events of one file at once: one document, one event', async () => {
  const { client, ticket, parties } = await aTicketOfTwo();
  const file = withFile(aPurchase(parties));
  const pushed = Array.from({ length: 20 }, async () => (await push(client, file)).status);
  await publish(...Array.from({ length: 20 }, () => attached(file.document)));
  expect(new Set(await Promise.all(pushed))).toEqual(new Set([200]));
  expect(await tab(client, ticket)).toEqual([file.document.id]);
  const last = withFile(aPurchase(parties));
  await push(client, last);
  await eventually(() => expect(published(last.document.id)).toHaveLength(1));
  expect(published(file.document.id)).toHaveLength(1);
});

test('a supplier that left the ticket keeps what was shared with it and gets no more events', async () => {
  const { client, supplier, ticket, parties } = await aTicketOfTwo();
  await supplier.post(`${tickets}/${ticket}/decline`);
  const file = withFile(aPurchase(parties));
  await push(client, file);
  expect(await tab(supplier, ticket)).toEqual([file.document.id]);
  await eventually(() =>
    expect(published(file.document.id).map(({ audience }) => audience)).toEqual([[parties.buyer]]),
  );
});

test('a file that names another ticket, document, kind or buyer than its document is refused', async () => {
  const { client, ticket, parties } = await aTicketOfTwo();
  const { purchase, document } = withFile(aPurchase(parties));
  const ids = { ticket_id: newId(), purchase_id: newId(), buyer_company_id: newId() };
  const faults = { ...ids, kind: 'goods_receipt' } as const;
  for (const [field, value] of Object.entries(faults)) {
    const answer = await push(client, { purchase, document: { ...document, [field]: value } });
    expect(outcome(answer)).toEqual([422, [`purchases.0.document.${field}`]]);
  }
  expect([await tab(client, ticket), (await client.get(`${tickets}/${ticket}`)).data.purchases]).toEqual([[], []]);
});
