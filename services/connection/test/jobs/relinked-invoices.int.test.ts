import { type FeedbackRequested, invoiceFeedbackRequested, invoiceFeedbackSettled } from '@app/contracts';
import { newId } from '@app/kernel';
import { startHttpServer } from '@app/sandbox-provider';
import { eventually } from '@app/testing';
import { anAccountant, type Service, startService } from '../service.ts';

/** The part of Pennylane that stores the reference of an invoice. */
async function startPennylane() {
  const references = new Map<string, string | null>();
  const server = await startHttpServer(
    ({ method, path, body }) => {
      const [, collection, id, part] = path.split('/');
      if (collection !== 'supplier_invoices' || id === undefined || part !== undefined) {
        return { status: 200, json: { items: [], has_more: false, next_cursor: null } };
      }
      if (method === 'PUT') references.set(id, JSON.parse(body.toString('utf8')).external_reference);
      return { status: 200, json: { id: Number(id), external_reference: references.get(id) ?? null } };
    },
    { port: 0, before: async () => false },
  );
  return { ...server, references };
}

let pennylane: Awaited<ReturnType<typeof startPennylane>>;
let service: Service;
beforeAll(async () => {
  pennylane = await startPennylane();
  service = await startService({ providers: { PROVIDER_PENNYLANE_URL: pennylane.url } });
});
afterAll(async () => {
  await service.stop();
  await pennylane.close();
});

test('after an invoice moves to another ticket the provider keeps the reference of the new one', async () => {
  const owner = anAccountant();
  const made = await service.call('POST', '/invoice-connections', {
    as: owner,
    body: { provider: 'pennylane', apiKey: 'a key' },
  });
  const [first, second] = [
    { id: newId(), number: 'T-1' },
    { id: newId(), number: 'T-2' },
  ];
  const request: FeedbackRequested = {
    invoice_id: newId(),
    client_id: owner.companyId,
    connection_id: String(made.body['id']),
    provider: 'pennylane',
    external_id: '77',
    link_version: 1,
    outcome: 'taken_in_charge',
    ticket: first,
    po_ref: null,
  };
  const referenceAfter = async (given: FeedbackRequested) => {
    await service.publish(invoiceFeedbackRequested(given, new Date()));
    const { invoice_id, link_version } = given;
    await eventually(() => {
      const answers = service.events(invoiceFeedbackSettled).filter((event) => event.invoice_id === invoice_id);
      expect(answers.at(-1)).toMatchObject({ link_version, result: 'sent' });
    });
    return pennylane.references.get('77');
  };
  expect(await referenceAfter(request)).toBe('T-1');
  const moved = { ...request, link_version: 2, ticket: second, told_before: [{ ticket: first, po_ref: null }] };
  expect(await referenceAfter(moved)).toBe('T-2');
  expect(await referenceAfter({ ...moved, link_version: 3, outcome: 'reversed' })).toBeNull();
});
