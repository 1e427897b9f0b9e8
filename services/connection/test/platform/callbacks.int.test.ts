import { invoiceGone } from '@app/contracts';
import { eventually } from '@app/testing';
import { type OfPlatform, type PlatformService, startWithPlatform, subscriptionsOf } from './platform.ts';

let service: PlatformService;
beforeAll(async () => {
  service = await startWithPlatform({ limits: { retryDelaysMs: [50, 100, 100, 200, 200, 200, 500, 500] } });
});
afterEach(() => {
  service.platform.heal();
  service.platform.set({ signatureKey: 'base64', signatureDigest: 'bytes' });
});
afterAll(() => service.stop());

const atPlatform = (one: OfPlatform) => subscriptionsOf(service.platform, one.clientId);
const add = (one: OfPlatform, number: string, more: object = {}) =>
  service.platform.addInvoice({ organization: one.organization, invoice: { number }, ...more });
const jobsOf = (one: OfPlatform) => service.jobs().countDocuments({ connectionId: one.id });

test('6: a connection subscribes to what it lists, and keeps the signing key sealed', async () => {
  const one = await service.connected();
  expect(await atPlatform(one)).toMatchObject([
    { callbackUrl: service.callbackUrl(one), flowTypes: ['SupplierInvoice', 'SupplierInvoiceLC'], flowDirection: 'In' },
  ]);
  expect(await service.viewOf(one)).toMatchObject({ hasSubscription: true });
  const { signingKey } = (await service.recordOf(one)) as unknown as { signingKey: string };
  expect(signingKey).toMatch(/^first[.:]/);
  expect(JSON.stringify(service.answers)).not.toContain(signingKey);
});

test('6: a subscription that is gone is made again with the check of the day, and not before', async () => {
  const one = await service.connected();
  const [made] = await atPlatform(one);
  // By its first key.
  expect((await add(one, 'RN-0')).callbacks).toMatchObject([{ status: 200 }]);
  const token = { webhookId: String(made?.webhookId) };
  await service.database
    .collection('connections')
    .updateOne({ _id: one.id as never }, { $set: { subscriptionId: 'gone' } });
  await service.pollAgain(one);
  expect(await atPlatform(one)).toMatchObject([token]);
  const checkedAt = new Date(Date.now() - 25 * 3_600_000);
  await service.database
    .collection('connections')
    .updateOne({ _id: one.id as never }, { $set: { subscriptionCheckedAt: checkedAt } });
  await service.pollAgain(one);
  const renewed = await atPlatform(one);
  expect(renewed).toHaveLength(1);
  expect(renewed[0]?.webhookId).not.toBe(token.webhookId);
  const { callbacks } = await add(one, 'RN-1');
  expect(callbacks).toMatchObject([{ status: 200 }]);
});

test.each([
  ['deleted', (one: OfPlatform) => service.remove(one)],
  ['switched off', (one: OfPlatform) => service.patch(one, { active: false })],
])(
  '6: the subscription of a connection that is %s ends at the platform, which may fail meanwhile',
  async (_how, end) => {
    const one = await service.connected();
    service.platform.fail({ kind: 'status', status: 503, times: 2, on: '^DELETE ' });
    expect((await end(one)).status).toBeLessThan(300);
    await eventually(async () => expect(await atPlatform(one)).toEqual([]));
    await eventually(async () => {
      const record = await service.recordOf(one);
      expect(record).not.toHaveProperty('subscriptionId');
      expect(record).not.toHaveProperty('pollDueAt');
      if (record?.['deleted'])
        expect(record).toMatchObject({ apiKey: null, oauthClientSecret: null, signingKey: null });
    });
  },
);

test('6: a connection that is switched on again subscribes again', async () => {
  const one = await service.connected();
  await service.patch(one, { active: false });
  await eventually(async () => expect(await atPlatform(one)).toEqual([]));
  await service.patch(one, { active: true });
  await eventually(async () => expect(await atPlatform(one)).toHaveLength(1));
});

test('6: if the platform never lets it go, the secrets of a deleted connection are erased all the same', async () => {
  const one = await service.connected();
  service.platform.fail({ kind: 'status', status: 503, on: '^DELETE ' });
  await service.remove(one);
  await eventually(async () => {
    expect(await service.recordOf(one)).toMatchObject({ apiKey: null, oauthClientSecret: null, signingKey: null });
  });
  expect(await service.recordOf(one)).not.toHaveProperty('pollDueAt');
});

test.each([
  ['base64', 'bytes'],
  ['base64', 'hex'],
  ['text', 'bytes'],
  ['text', 'hex'],
] as const)(
  '7: a callback that is signed by the key as %s over %s is fetched',
  async (signatureKey, signatureDigest) => {
    service.platform.set({ signatureKey, signatureDigest });
    const one = await service.connected();
    const { flow, callbacks } = await add(one, `SG-${signatureKey}-${signatureDigest}`);
    expect(callbacks).toMatchObject([{ status: 200 }]);
    await eventually(() => expect(service.fetchedIds(one)).toEqual([flow.flowId]));
  },
);

test.each([
  ['with a wrong key', { signature: 'wrong' }],
  ['without a signature', { signature: 'none' }],
  ['that is older than 300 s', { ageSeconds: 301 }],
  ['that is more than 300 s ahead', { ageSeconds: -400 }],
] as const)('7: a callback %s is 401 and queues nothing', async (_case, how) => {
  const one = await service.connected();
  const { callbacks } = await add(one, 'WR-1', { notify: how });
  expect(callbacks).toMatchObject([{ status: 401 }]);
  expect(await jobsOf(one)).toBe(0);
});

test('7: a callback without a time, with another body, or to another connection is refused', async () => {
  const [one, other] = [await service.connected(), await service.connected()];
  const post = async (url: string, headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' }))
      .status;
  const signature = { 'afnor-signature': 'c2lnbmVk' };
  expect(await post(service.callbackUrl(one), signature)).toBe(401);
  expect(await post(service.callbackUrl(one), { ...signature, 'afnor-signature-timestamp': `${Date.now()}` })).toBe(
    401,
  );
  expect(await post(`${service.callbackUrl(one).slice(0, -24)}${'0'.repeat(24)}`, signature)).toBe(404);
  expect(await post(service.callbackUrl(one).replace('afnor', 'sandbox'), signature)).toBe(404);
  await service.patch(other, { active: false });
  expect(await post(service.callbackUrl(other), signature)).toBe(404);
});

test('7: a callback that is sent again, late or not, publishes nothing more', async () => {
  const one = await service.connected();
  const { flow } = await add(one, 'RP-1');
  await eventually(() => expect(service.fetchedIds(one)).toEqual([flow.flowId]));
  const again = await service.platform.send([flow.flowId], { times: 2, ageSeconds: 200 });
  expect(again.map(({ status }) => status)).toEqual([200, 200]);
  await service.pollAgain(one);
  expect(service.fetchedIds(one)).toEqual([flow.flowId]);
});

test('7: what a callback told is not fetched again by the next poll, nor what a poll told by a later one', async () => {
  const one = await service.connected();
  // No whole second, which another change might have, too.
  const updatedAt = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 877).toISOString();
  const flow = { submittedAt: updatedAt, updatedAt };
  const called = await add(one, 'ONCE-1', { flow });
  await eventually(() => expect(service.fetchedIds(one)).toEqual([called.flow.flowId]));
  const polled = await add(one, 'ONCE-2', { flow, notify: false });
  await service.pollAgain(one);
  await eventually(() => expect(service.fetchedIds(one)).toHaveLength(2));
  await service.pollAgain(one);
  const due = { connectionId: one.id, dueAt: { $exists: true } };
  await eventually(async () => expect(await service.jobs().countDocuments(due)).toBe(0));
  const reads = ({ flowId }: { flowId: string }) =>
    service.platform.received().requests.filter(({ path }) => path.endsWith(`/flows/${flowId}`)).length;
  // Its description and its document.
  expect([reads(called.flow), reads(polled.flow)]).toEqual([2, 2]);
});

test('8: a callback about a flow that is pending still waits, and then is one invoice, which was never gone', async () => {
  const one = await service.connected();
  const pending = { flowType: 'Undefined', acknowledgement: { status: 'Pending' as const } };
  const { flow } = await add(one, 'PD-1', { flow: pending, notify: false });
  const [early] = await service.platform.send([flow.flowId], { flow: { flowType: 'SupplierInvoice' } });
  expect(early?.status).toBe(200);
  await eventually(async () => {
    expect(await service.jobs().findOne({ connectionId: one.id })).toMatchObject({
      failures: expect.any(Number),
      reason: expect.stringContaining('does not know yet'),
    });
  });
  const settled = { flow: { flowType: 'SupplierInvoice' }, acknowledgement: { status: 'Ok' as const } };
  await service.platform.change(flow.flowId, settled);
  await eventually(() => expect(service.fetchedIds(one)).toEqual([flow.flowId]));
  expect(service.events(invoiceGone).filter(({ client_id }) => client_id === one.owner.companyId)).toEqual([]);
});
