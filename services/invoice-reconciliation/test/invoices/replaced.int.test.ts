import { invoiceGone } from '@app/contracts';
import { eventually } from '@app/testing';
import { type Client, type Service, useService } from '../reconciliation.ts';

const odd = { ht: '7.00', tva: '1.40', ttc: '8.40' };
const corrective = { kind: 'corrective', number: 'FA-2', references: { preceding_invoice: 'fa 0001' } };

let service: Service;
useService({ settings: { rematchDelayMs: 600_000 } }, (one) => {
  service = one;
});

const flagsOf = async (client: Client, { _id }: { _id: string }): Promise<string[]> =>
  (await client.call('get', `/invoices/${_id}`)).data.flags;

test('an invoice that a corrective one replaces is flagged, whichever came first', async () => {
  const { id, client, order } = await service.world();
  const first = await service.ingest(id, { number: 'FA-1', references: { purchase_order: order } });
  expect(await flagsOf(client, first)).not.toContain('replaced');
  const replacing = await service.ingest(id, corrective);
  expect(await flagsOf(client, first)).toContain('replaced');
  expect(await flagsOf(client, replacing)).not.toContain('replaced');

  const other = await service.world();
  await service.ingest(other.id, corrective);
  const late = await service.ingest(other.id, { number: 'FA-1', amounts: odd });
  expect(await flagsOf(other.client, late)).toContain('replaced');
  const { items } = (await other.client.call('get', '/invoices')).data;
  const shown = items.map(({ number, flags }: { number: string; flags: string[] }) => [
    number,
    flags.includes('replaced'),
  ]);
  expect(shown).toEqual([
    ['FA-2', false],
    ['FA-1', true],
  ]);
});

test('an invoice that only shares the number is not replaced: of another supplier, of another client, or named by an invoice', async () => {
  const { id, client } = await service.world();
  const first = await service.ingest(id, { number: 'FA-1', amounts: odd });
  await service.ingest(id, { ...corrective, supplier: { name: 'Other', siren: '552100554' } });
  await service.ingest((await service.world()).id, corrective);
  await service.ingest(id, { ...corrective, kind: 'invoice' });
  expect(await flagsOf(client, first)).not.toContain('replaced');
});

test('a corrective invoice that the provider deleted replaces nothing any more', async () => {
  const { id, client } = await service.world();
  const first = await service.ingest(id, { number: 'FA-1', amounts: odd });
  const replacing = await service.ingest(id, corrective);
  const { provider, external_id } = replacing;
  await service.publish(invoiceGone, { client_id: id, provider, external_id, at: new Date().toISOString() });
  await eventually(async () => expect(await flagsOf(client, first)).not.toContain('replaced'));
});
