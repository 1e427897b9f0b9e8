import { type LocationSnapshot, locationChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { profiled } from '@app/testing';
import { quiet, useService } from '../reconciliation.ts';

const service = useService(quiet);

function aLocation(client_id: string, name: string, reference: string): LocationSnapshot {
  const none = { postal_code: null, facturation_name: null, deleted: false };
  return { id: newId(), version: 1, client_id, name, reference, ...none };
}

test('an invoice that names another place of its client waits for a person, whatever else agrees', async () => {
  const location_ids = [newId()];
  const { id, order } = await service.world({ location_ids });
  const roissy = { ...aLocation(id, 'Entrepôt Roissy', 'ROI-09'), id: String(location_ids[0]) };
  const nantes = aLocation(id, 'Nantes Atlantis', 'NTE-05');
  const gone = { ...aLocation(id, 'Dépôt Metz', 'MTZ-01'), deleted: true };
  const others = aLocation(newId(), 'Lille Sud', 'LIL-02');
  await service.settle(locationChanged, ...[roissy, nantes, gone, others].map((location) => ({ location })));
  const ingest = (delivery_address: string) =>
    service.ingest(id, { delivery_address, references: { purchase_order: order } }, { provider: 'mute' });

  const operations = await profiled(service, async () => {
    const elsewhere = await ingest('Nantes Atlantis, 11 place des Modèles');
    expect(elsewhere).toMatchObject({
      state: 'ticket_unmatched',
      ticket_id: null,
      flags: ['other_place', 'no_goods_receipt'],
    });
    expect(elsewhere.suggestions[0]?.reasons).toContain(
      'the invoice names another place: Nantes Atlantis; the ticket is at Entrepôt Roissy',
    );
  });
  const search = operations.filter(
    ({ ns, planSummary }) => ns?.endsWith('location_projections') && /keys/.test(planSummary ?? ''),
  );
  expect(search.length).toBeGreaterThan(0);
  for (const { planSummary, docsExamined } of search) {
    expect([planSummary, docsExamined]).toEqual(['IXSCAN { client_id: 1, keys: 1 }', 1]);
  }
  expect(await ingest('Lille Sud, Dépôt Metz')).toMatchObject({ state: 'done', flags: ['no_goods_receipt'] });
});
