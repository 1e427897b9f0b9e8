import { auditRecorded } from '@app/contracts';
import { eventually } from '@app/testing';
import { anAccountant, anInvoice, type Connected, type Service, startService } from '../service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterEach(() => service.sandbox.heal());
afterAll(() => service.stop());

type Failure = { id: string; externalId: string; failedAt: string; retrying: boolean };
type Failing = Connected & { invoiceId: string };
const pathOf = ({ id }: Connected) => `/invoice-connections/${id}/failures`;
const callsOf = ({ invoiceId }: Failing) => service.callsOf(`/invoices/${invoiceId}`);
const jobOf = ({ id: connectionId, invoiceId: externalId }: Failing) => ({ connectionId, externalId });

async function failuresOf(one: Connected): Promise<Failure[]> {
  const { body } = await service.call('GET', pathOf(one), { as: one.owner });
  return body['items'] as Failure[];
}

/** Given up after so many calls. */
const givenUp = (one: Failing, calls: number) =>
  eventually(async () => {
    expect(await failuresOf(one)).toMatchObject([{ externalId: one.invoiceId, retrying: false }]);
    expect(callsOf(one)).toBe(calls);
  });

/** Older than the connection, so that polls do not list it. */
const old = { updated_at: '2026-11-01T08:00:00.000Z' };

/** An invoice that was announced and never comes: the first attempt and the three retries of the setting. */
async function announcedInVain(): Promise<Failing> {
  const made = await service.connected();
  const one = { ...made, invoiceId: service.sandbox.put(made.apiKey, anInvoice(old)).id };
  service.sandbox.fail({ kind: 'status', status: 404, on: one.invoiceId });
  await service.notify(one, one.invoiceId);
  await givenUp(one, 4);
  return one;
}

test('an invoice that never comes is asked for by the next poll, and then ever more seldom', async () => {
  const one = await announcedInVain();
  await service.pollAgain(one);
  await givenUp(one, 8);
  const anHourAgo = new Date(Date.now() - 3_600_000);
  await service.jobs().updateOne(jobOf(one), { $set: { givenUpAt: anHourAgo, returnsAt: new Date() } });
  await service.pollAgain(one);
  await givenUp(one, 12);
  await service.pollAgain(one);
  expect(await failuresOf(one)).toMatchObject([{ retrying: false, failedAt: anHourAgo.toISOString() }]);
  expect(callsOf(one)).toBe(12);
});

test('a dismissed invoice is no failure and not asked for, until the provider announces it again', async () => {
  const one = await announcedInVain();
  const [failure] = await failuresOf(one);
  const dismiss = (as = one.owner) => service.call('DELETE', `${pathOf(one)}/${failure?.id}`, { as });
  expect(await dismiss(anAccountant())).toMatchObject({ status: 404, body: { code: 'connection_not_found' } });
  await service.jobs().updateOne(jobOf(one), { $set: { lease: 'of an attempt' } });
  expect(await dismiss()).toMatchObject({ status: 409, body: { code: 'failure_in_progress' } });
  await service.jobs().updateOne(jobOf(one), { $unset: { lease: 1 } });
  expect((await dismiss()).status).toBe(204);
  expect(await dismiss()).toMatchObject({ status: 404, body: { code: 'failure_not_found' } });
  expect(await failuresOf(one)).toEqual([]);
  expect(await service.viewOf(one)).toMatchObject({ failedInvoices: 0 });
  const changes = [{ field: 'dismissed_invoice', before: null, after: one.invoiceId }];
  const audited = expect.objectContaining({ details: expect.objectContaining({ changes }) });
  await eventually(() => expect(service.events(auditRecorded)).toContainEqual(audited));
  await service.pollAgain(one);
  expect(await service.jobs().findOne(jobOf(one))).not.toHaveProperty('dueAt');
  service.sandbox.heal();
  await service.notify(one, one.invoiceId);
  await eventually(() => expect(service.fetched(one)).toMatchObject([{ external_id: one.invoiceId }]));
});
