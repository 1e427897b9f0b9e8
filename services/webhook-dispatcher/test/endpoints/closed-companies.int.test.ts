import { companyChanged } from '@app/contracts';
import { toCloudEvents } from '@app/messaging';
import { answer, behaviours, eventually, type Receiver } from '@app/testing';
import { aCompany, type Dispatcher, statusChanged, useDispatcher } from '../dispatcher.ts';

let receiver: Receiver;
let dispatcher: Dispatcher;
useDispatcher({ retryDelaysMs: [3_600_000] }, (one, beside) => {
  dispatcher = one;
  receiver = beside;
});

type Company = ReturnType<typeof aCompany>;

function state({ companyId }: Company, version: number, closed: boolean) {
  const at = new Date();
  const names = { id: companyId, name: 'Acme', kind: 'client' as const, siret: null, siren: null };
  const company = { ...names, closed_at: closed ? at.toISOString() : null, version };
  return toCloudEvents('identity', [companyChanged({ company }, at, companyId)]);
}
const closures = () => dispatcher.connection.collection('company_closures');
const handled = ({ companyId }: Company, version: number) =>
  eventually(async () => expect(await closures().findOne({ _id: companyId as never })).toMatchObject({ version }));
const statuses = async (company: Company, id: string) =>
  (await dispatcher.deliveries(company, id)).map(({ status }) => status).sort();

test('nothing is sent for a closed company; what waited and what comes is kept for recover, and later events are sent', async () => {
  const [company, other] = [aCompany(), aCompany()];
  receiver.behave(answer(500), '/closed');
  const { id } = await dispatcher.endpoint(company, receiver.url('/closed'));
  const beside = await dispatcher.endpoint(other, receiver.url('/other'));
  const audience = [company.companyId, other.companyId];
  await dispatcher.publish(statusChanged(audience));
  await eventually(async () => expect(await statuses(company, id)).toEqual(['failed']));

  const closing = state(company, 1, true);
  await dispatcher.publish(...closing);
  await eventually(async () => expect(await statuses(company, id)).toEqual(['canceled']));
  await dispatcher.publish(statusChanged(audience));
  await eventually(async () => expect(await statuses(company, id)).toEqual(['canceled', 'canceled']));
  await eventually(async () => expect(await statuses(other, beside.id)).toEqual(['succeeded', 'succeeded']));
  // An endpoint created while the gateway may still have the caller's credential cached.
  const late = await dispatcher.endpoint(company, receiver.url('/late'));
  await dispatcher.publish(statusChanged([company.companyId]));
  await eventually(async () => expect(await statuses(company, late.id)).toEqual(['canceled']));
  expect(receiver.at('/closed').length).toBe(1);
  expect(receiver.at('/late').length).toBe(0);

  receiver.behave(behaviours.ok, '/closed');
  await dispatcher.publish(...state(company, 2, false));
  await handled(company, 2);
  // Events that come late or twice: an older state changes nothing.
  await dispatcher.publish(...closing, ...state(company, 1, true));
  await eventually(async () => {
    await dispatcher.publish(statusChanged([company.companyId]));
    expect(await statuses(company, late.id)).toContain('succeeded');
  });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const recovered = await dispatcher.call(company, 'post', `/webhooks/endpoints/${id}/recover`, { since });
  expect(recovered.status).toBe(202);
  await eventually(async () => expect(new Set(await statuses(company, id))).toEqual(new Set(['succeeded'])));
});

test('an endpoint that its company has switched off stays so when the company is open again', async () => {
  const company = aCompany();
  const { id } = await dispatcher.endpoint(company, receiver.url('/off'));
  await dispatcher.call(company, 'patch', `/webhooks/endpoints/${id}`, { active: false });
  // Out of order: the reopening arrives before the closing.
  await dispatcher.publish(...state(company, 2, false));
  await handled(company, 2);
  await dispatcher.publish(...state(company, 1, true));
  await dispatcher.publish(...state(company, 4, false));
  await handled(company, 4);
  const { body } = await dispatcher.call(company, 'get', `/webhooks/endpoints/${id}`);
  expect(body.active).toBe(false);
  await dispatcher.call(company, 'patch', `/webhooks/endpoints/${id}`, { active: true });
  await dispatcher.publish(statusChanged([company.companyId]));
  await eventually(() => expect(receiver.at('/off').length).toBe(1));
});
