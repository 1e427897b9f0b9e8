import type { CountedLine } from '@app/contracts';
import { newId } from '@app/kernel';
import { aLine } from '../invoices/fixtures.ts';
import { type Client, type Contractor, idOf, newTicket, outcome, usePlatform } from '../platform.ts';
import { aPurchase } from '../purchases/fixtures.ts';

const platform = usePlatform();
const base = '/api/v3.0';
let client: Client;
let contractor: Contractor;

beforeAll(async () => {
  client = platform.as();
  contractor = await platform.contractorOf(client);
});

async function make(path: 'locations' | 'equipments'): Promise<string> {
  return (Object.values((await client.post(`${base}/${path}`, { name: 'One' })).data)[0] as { _id: string })._id;
}

/** A ticket with a validated quote. */
async function quoted(body: object, price: string, includes_vat = false): Promise<string> {
  const path = await newTicket(client, body);
  await client.post(`${path}/assign`, { contractor_id: contractor.id });
  const fields = { reference: 'D-1', price, includes_vat: String(includes_vat) };
  const { quote } = (await contractor.upload(`${path}/quotes`, fields)).data;
  expect((await client.put(`${path}/quotes/${quote._id}/validate`)).status).toBe(200);
  return path;
}

async function order(path: string, amount: number | null, includes_vat = false): Promise<void> {
  const parties = { ticket: idOf(path), buyer: client.caller.companyId };
  const purchase = aPurchase(parties, { kind: 'purchase_order', amount, includes_vat, reference: `PO-${amount}` });
  expect((await client.put('/internal/purchases', { purchases: [{ purchase }] })).data).toEqual({ kept: [true] });
}

/** A credit note takes its amount off, whatever its sign. */
async function invoice(path: string, ht: number, given: Partial<CountedLine> = {}): Promise<void> {
  const { views } = (await client.get(path)).data;
  const on = { client: client.caller.companyId, ticket: idOf(path), view: views.at(-1)._id };
  const counted = { kind: 'invoice', currency: 'EUR', issue_date: '2026-10-31', key: newId(), replaces: [], ...given };
  const line = aLine(on, { amounts: { ht, tva: 0, ttc: ht }, counted: counted as CountedLine });
  const answer = await client.put(`/internal/tickets/${idOf(path)}/invoice-lines/${line.invoice_id}`, line);
  expect(answer.status).toBe(204);
}

test('costs are the validated quotes, the orders and the invoices of the tickets that name a place or equipment, to the cent', async () => {
  const [location, equipment] = [await make('locations'), await make('equipments')];
  const both = { location_ids: [location], equipment_ids: [equipment] };
  const first = await quoted(both, '0.105');
  const second = await quoted(both, '1000000000');
  await quoted(both, '120', true);
  await quoted({ location_ids: [location] }, '7.10');
  const undecided = await newTicket(client, both);
  await client.post(`${undecided}/assign`, { contractor_id: contractor.id });
  await contractor.upload(`${undecided}/quotes`, { reference: 'D-2', price: '99' });
  await order(first, 10.1);
  await order(first, 0.2);
  await order(first, null);
  await order(second, 24, true);
  await invoice(first, 10.05);
  await invoice(first, 99, { currency: 'CHF' });
  await invoice(second, 30.25, { kind: 'credit_note' });
  const of = async (path: string) => (await client.get(`${base}/${path}/costs`)).data;
  expect(await of(`equipments/${equipment}`)).toEqual({
    tickets: 4,
    is_more: false,
    quotes_ht: '1000000000.11',
    orders_ht: '10.30',
    invoiced_ht: '-20.20',
    with_vat: 2,
  });
  expect(await of(`locations/${location}`)).toMatchObject({ tickets: 5, quotes_ht: '1000000007.21' });
  const elsewhere = platform.as({ ...client.caller, placeIds: [await make('locations')] });
  expect((await elsewhere.get(`${base}/equipments/${equipment}/costs`)).data).toMatchObject({ tickets: 0 });
  expect((await elsewhere.get(`${base}/locations/${location}/costs`)).status).toBe(404);
  const listed = (await client.get(`${base}/tickets?equipment_id=${equipment}`)).data.tickets as { _id: string }[];
  expect(listed).toHaveLength(4);
  expect(outcome(await platform.as().get(`${base}/equipments/${equipment}/costs`))).toEqual([
    404,
    'equipment_not_found',
  ]);
});

test('without tickets they are nothing', async () => {
  const sums = { quotes_ht: '0.00', orders_ht: '0.00', invoiced_ht: '0.00' };
  const nothing = { tickets: 0, is_more: false, ...sums, with_vat: 0 };
  expect((await client.get(`${base}/locations/${await make('locations')}/costs`)).data).toEqual(nothing);
});
