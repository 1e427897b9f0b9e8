import { invoiceStatusReceived } from '@app/contracts';
import { eventually } from '@app/testing';
import { type OfPlatform, type PlatformService, startWithPlatform } from './platform.ts';

let service: PlatformService;
beforeAll(async () => {
  service = await startWithPlatform();
});
afterAll(() => service.stop());

const statusesOf = (one: OfPlatform) =>
  service.events(invoiceStatusReceived).filter(({ client_id }) => client_id === one.owner.companyId);
const invoiceOf = async ({ organization }: OfPlatform, number: string) => {
  const added = await service.platform.addInvoice({
    organization,
    invoice: { number, issueDate: '2026-11-16' },
    notify: false,
  });
  return added.flow.flowId;
};

test('19: what a supplier or a platform says of an invoice is published once, by callback or by poll', async () => {
  const one = await service.connected();
  const invoiceFlowId = await invoiceOf(one, 'LC-1');
  const { organization } = one;
  const add = (status: string, more: object = {}) =>
    service.platform.addLifeCycle({ organization, invoiceFlowId, status, ...more });
  const called = await add('212', { amounts: [{ typeCode: 'MEN', amount: '120.00', percent: '20.00' }] });
  expect(called.callbacks).toMatchObject([{ status: 200 }]);
  await add('213', { reason: 'DOUBLON', note: 'second delivery', notify: false });
  await add('220', { notify: false });
  await service.pollAgain(one);
  await eventually(() =>
    expect(
      statusesOf(one)
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['212', '213', '220']),
  );
  expect(statusesOf(one).find(({ status }) => status === '212')).toEqual({
    client_id: one.owner.companyId,
    provider: 'afnor',
    id: `${called.flow.flowId}/0`,
    number: 'LC-1',
    issue_date: '2026-11-16',
    supplier_siren: '356000000',
    status: '212',
    reasons: [{ code: null, text: null }],
    at: expect.any(String),
  });
  expect(statusesOf(one).find(({ status }) => status === '213')?.reasons).toEqual([
    { code: 'DOUBLON', text: 'second delivery' },
  ]);
  await service.platform.send([called.flow.flowId], { times: 2 });
  await service.pollAgain(one);
  expect(statusesOf(one)).toHaveLength(3);
  // None of them is an invoice.
  expect(service.fetchedIds(one)).toEqual([invoiceFlowId]);
});

test('a message that cannot be read is a failure that says why', async () => {
  const one = await service.connected();
  const document = { syntax: 'CDAR', bytes: Buffer.from('<Odd/>') };
  const flow = { flowType: 'SupplierInvoiceLC' };
  const added = await service.platform.addInvoice({ organization: one.organization, document, flow });
  await eventually(async () => {
    const { body } = await service.call('GET', `/invoice-connections/${one.id}/failures`, { as: one.owner });
    const reason = "the life-cycle message can't be read: the root element Odd is no life-cycle message (CDAR D22B)";
    expect(body['items']).toMatchObject([{ externalId: added.flow.flowId, reason }]);
  });
});
