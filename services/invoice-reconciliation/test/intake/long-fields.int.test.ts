import { invoiceFetched } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { type Service, useService } from '../reconciliation.ts';

let service: Service;
useService({}, (one) => {
  service = one;
});

const odd = { ht: '7.00', tva: '1.40', ttc: '8.40' };
const zeros = '0'.repeat(60_000);

test('endless texts and numbers do not delay other companies, and leave their own invoices readable', async () => {
  const [hostile, good] = await Promise.all([service.world(), service.world()]);
  const payloads: object[] = [
    { amounts: odd, references: { purchase_order: 'BC-'.repeat(8_000) } },
    { amounts: odd, references: { purchase_order: `${zeros}A`, ticket: zeros } },
    { amounts: odd, notes: [`${zeros}A`, 'REF '.repeat(20_000)], lines: [{ label: `${zeros}A` }] },
    { amounts: { ...odd, ttc: `8.4${zeros}1` } },
  ];
  const sent = await Promise.all(
    payloads.map((payload) => service.payload(hostile.id, { number: newId(), ...payload })),
  );
  await service.publish(invoiceFetched, ...sent);
  const linked = await service.ingest(good.id, { references: { purchase_order: good.order } });
  expect(linked).toMatchObject({ state: 'feedback_pending', ticket_id: good.ticket.id });

  await eventually(async () => {
    const [labels, numbers, texts, amount] = await Promise.all(sent.map((one) => service.invoice(one)));
    const noReference = { matchHints: { poRef: null, ticketRef: null }, references: [] };
    expect(labels).toMatchObject({ state: 'ticket_unmatched', canonical: noReference });
    expect(numbers).toMatchObject({ state: 'ticket_unmatched', canonical: noReference });
    expect(texts).toMatchObject({ state: 'ticket_unmatched', canonical: { lines: [{ label: '0'.repeat(300) }] } });
    expect(texts?.canonical?.notes.map(({ length }) => length)).toEqual([1_000, 1_000]);
    expect(amount).toMatchObject({ state: 'error', failure: { code: 'unmappable' } });
  });
});
