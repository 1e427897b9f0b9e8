import { eventually } from '@app/testing';
import { type OfPlatform, type PlatformService, startWithPlatform } from './platform.ts';

let service: PlatformService;
beforeAll(async () => {
  service = await startWithPlatform();
});
afterEach(() => {
  service.platform.heal();
  service.platform.set({ order: 'ascending', missing: [], mostPerPage: 100 });
});
afterAll(() => service.stop());

const inOneMoment = async (one: OfPlatform, count: number) => {
  const updatedAt = new Date(Date.now() - 120_000).toISOString();
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const added = { organization: one.organization, invoice: { number: `M-${number}` }, notify: false };
    ids.push(
      (await service.platform.addInvoice({ ...added, flow: { submittedAt: updatedAt, updatedAt } })).flow.flowId,
    );
  }
  return ids.sort();
};
const searches = () => service.platform.received().requests.filter(({ path }) => path.endsWith('/flows/search')).length;

test('2 and 3: 250 flows of one millisecond arrive by pages of 100', async () => {
  const one = await service.connected({ active: false });
  const ids = await inOneMoment(one, 250);
  const before = searches();
  await service.patch(one, { active: true });
  await eventually(() => expect(service.fetchedIds(one).sort()).toEqual(ids));
  expect(searches() - before).toBe(3);
  await service.pollAgain(one);
  expect(service.fetchedIds(one)).toHaveLength(250);
});

test('4: a poll that ends between two pages in descending order loses nothing', async () => {
  service.platform.set({ order: 'descending', mostPerPage: 25 });
  const one = await service.connected({ active: false });
  const ids = await inOneMoment(one, 60);
  const search = '/flows/search';
  service.platform.fail({ kind: 'delay', ms: 1, times: 1, on: search });
  service.platform.fail({ kind: 'status', status: 500, times: 1, on: search });
  await service.patch(one, { active: true });
  await eventually(async () => expect(await service.recordOf(one)).toMatchObject({ pollFailures: 1 }));
  expect(await service.recordOf(one)).not.toHaveProperty('seenUntil');
  service.platform.heal();
  await service.pollAgain(one);
  await eventually(() => expect(service.fetchedIds(one).sort()).toEqual(ids));
});

test('9: an invoice whose original the platform does not have is read as it was converted', async () => {
  const one = await service.connected();
  const added = { organization: one.organization, invoice: { number: 'CV-1' }, missing: ['Original' as const] };
  const { flow } = await service.platform.addInvoice({ ...added, notify: false });
  await service.pollAgain(one);
  await eventually(() => expect(service.fetchedIds(one)).toEqual([flow.flowId]));
  expect(service.fetched(one)[0]?.document?.type).toMatch(/xml/);
});

test('10: a document of 60 MB is a failure that says so, and is listed', async () => {
  const one = await service.connected();
  const document = { syntax: 'Factur-X', bytes: Buffer.alloc(60_000_000, '%PDF-1.7 '), name: 'large.pdf' };
  const { flow } = await service.platform.addInvoice({ organization: one.organization, document, notify: false });
  await service.pollAgain(one);
  await eventually(async () => {
    const { body } = await service.call('GET', `/invoice-connections/${one.id}/failures`, { as: one.owner });
    expect(body['items']).toMatchObject([
      { externalId: flow.flowId, reason: "the provider's answer is longer than 25000000 bytes", retrying: false },
    ]);
  });
});
