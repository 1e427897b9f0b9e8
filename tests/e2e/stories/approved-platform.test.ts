import { eventually } from '@app/testing';
import { connectPlatform, matchedInvoice, refuseOnce } from '../approved-platform.ts';
import { linesOf, newBuyer, ok } from '../invoicing.ts';
import { newCompany } from '../platform.ts';

/** Callback, match, and every status that is accepted: guides/demo.test.ts. */
test('a status that the platform refuses comes back with its reasons; told again, both parties read it on the ticket', async () => {
  const client = await newCompany('client');
  const { contractor } = await newBuyer(client);
  const { id, path, number } = await matchedInvoice(client, contractor, await connectPlatform(client));
  const read = async () => (await ok(client.ts(`GET /invoices/${id}`))).data;
  const told = async (...expected: object[]) =>
    eventually(async () => expect((await read()).supplierStatus.told).toMatchObject(expected));
  const taken = { status: 'taken_in_charge', result: 'accepted', by: null };
  await told(taken);
  const note = `One valve of ${number} is missing`;
  const dispute = { status: 'disputed', reason: 'delivery', note };
  await refuseOnce(note);
  await ok(client.ts(`POST /invoices/${id}/status`, dispute));
  const failure = 'the platform refused the message: InvoiceLCStatusError: not on a Sunday (flow)';
  const refused = { ...dispute, result: 'failed', failure };
  await told(taken, refused);
  expect((await read()).flags).toContain('status_failed');
  expect(await linesOf(client, path)).toMatchObject([{ supplier_status: null }]);
  await ok(client.ts(`POST /invoices/${id}/status`, dispute));
  await told(taken, refused, { ...dispute, result: 'accepted', failure: null });
  for (const party of [client, contractor])
    await eventually(async () => expect(await linesOf(party, path)).toMatchObject([{ supplier_status: dispute }]));
});
