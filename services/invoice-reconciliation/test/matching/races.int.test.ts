import { contractorChanged, invoiceFetched, purchaseChanged, ticketChanged } from '@app/contracts';
import { odd, quiet, useService } from '../reconciliation.ts';
import { aContractor, anOrder, aTicket } from '../snapshots.ts';

const service = useService(quiet);
const racing = 8;
const range = Array.from({ length: racing }, (_, index) => index);
const sirens = ['732829320', '552100554', '542051180', '552032534', '403210032', '333275774', '380129866', '775670417'];

function ibanOf(account: number): string {
  const number = String(account).padStart(18, '0');
  return `DE${String(98n - (BigInt(`${number}131400`) % 97n)).padStart(2, '0')}${number}`;
}

/** A company with orders on as many tickets; of suppliers with these SIRENs in turn, of whom no account is known. */
async function companyWithOrders(suppliers: string[]) {
  const { companyId: id } = service.as().caller;
  const contractors = suppliers.map((siren) => aContractor(id, { siren, siret: `${siren}00017` }));
  await service.settle(contractorChanged, ...contractors.map((contractor) => ({ contractor })));
  const tickets = range.map((index) => aTicket(contractors[index % contractors.length] as never));
  const orders = tickets.map((ticket) => anOrder(ticket));
  await service.settle(ticketChanged, ...tickets.map((ticket) => ({ ticket })));
  await service.settle(purchaseChanged, ...orders.map((purchase) => ({ purchase })));
  return { id, orders: orders.map(({ reference }) => reference) };
}

/** All of them arrive at once. */
async function race(id: string, contents: object[]) {
  const fetched = await Promise.all(contents.map((content) => service.payload(id, content)));
  await service.settle(invoiceFetched, ...fetched);
  return service.connection.collection('invoices').find({ client_id: id }).toArray();
}

test.each([
  ['a supplier asks to be paid to one account each', ['732829320'], ibanOf],
  ['suppliers ask to be paid to one and the same', sirens, () => ibanOf(1)],
])(
  'of the first invoices by which %s one is linked, and the others wait for a person',
  async (_what, suppliers, account) => {
    const { id, orders } = await companyWithOrders(suppliers);
    const saved = await race(
      id,
      orders.map((purchase_order, index) => ({
        references: { purchase_order },
        supplier: { name: 'Froid', siren: suppliers[index % suppliers.length], iban: account(index) },
      })),
    );
    const held = saved.filter(({ state, reasons }) => state === 'manual_review' && reasons.includes('iban_changed'));
    expect([saved.filter(({ ticket_id }) => ticket_id !== null).length, held.length]).toEqual([1, racing - 1]);
  },
);

test.each([
  ['whose number another one resembles', ['F1-12'], () => ({ number: 'F11-2', amounts: odd })],
  [
    'whose totals differ by a cent',
    [],
    (index: number) => ({ number: 'F1', amounts: { ...odd, ttc: `8.4${index % 2}` } }),
  ],
])('of copies %s one is no duplicate', async (_what, before, copy) => {
  const { companyId: id } = service.as().caller;
  for (const number of before) await service.ingest(id, { number, amounts: odd });
  const saved = await race(id, range.map(copy));
  const suspected = saved.filter(({ reasons }) => reasons.includes('duplicate_suspected'));
  expect([saved.length, suspected.length]).toEqual([racing + before.length, racing - 1]);
});

test('of invoices whose numbers only resemble each other none is a duplicate', async () => {
  const { companyId: id } = service.as().caller;
  const saved = await race(
    id,
    range.map((index) => ({ number: `F${'0'.repeat(index)}1-12${'0'.repeat(index)}`, amounts: odd })),
  );
  expect([saved.length, saved.filter(({ state }) => state === 'manual_review').length]).toEqual([racing, 0]);
});
