import { auditRecorded, invoiceFeedbackRequested, invoiceFeedbackSettled } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventFixture, eventually } from '@app/testing';
import type { Invoice } from '../../invoices/invoice.ts';
import { link, near, odd, quiet, read, toView, useService, useWorld, wrong } from '../reconciliation.ts';

const service = useService(quiet);
const world = useWorld(service);

const reason = 'A subscription, not a repair';
const refusal = { code: 'recipient', reason };
const conclude = (id: string, how: string, body: object = { reason }, headers = {}) =>
  world.client.call('post', `/invoices/${id}/${how}`, body, headers);
const reopen = (id: string) => world.client.call('post', `/invoices/${id}/reopen`);
const queued = (content: object = { amounts: odd }, given = {}) => service.ingest(world.id, content, given);
const inQueue = async (id: string) => {
  const { items } = (await world.client.call('get', '/invoices?limit=200')).data;
  return items.some((item: { id: string }) => item.id === id);
};
const settled = (invoice: Invoice, given: object) =>
  service.publish(invoiceFeedbackSettled, {
    ...eventFixture(invoiceFeedbackSettled).data,
    invoice_id: invoice._id,
    client_id: world.id,
    ...given,
  });

test.each([
  ['no-ticket', { reason }, { outcome: 'no_ticket', code: null }],
  ['refuse', refusal, { outcome: 'refused', code: 'recipient' }],
  ['duplicate-of', { reason }, { outcome: 'duplicate_of', code: null }],
])(
  '%s: a waiting invoice leaves the queue for good, with who said so and why, until it is reopened',
  async (how, given, expected) => {
    const original = how === 'duplicate-of' ? (await queued())._id : null;
    const { _id, suggestions } = await queued({ amounts: near });
    expect([suggestions.length, await inQueue(_id)]).toEqual([1, true]);
    const body = { ...given, ...(original && { invoiceId: original }) };
    for (const _ of [1, 2]) expect(await conclude(_id, how, body)).toMatchObject({ status: 200, data: { ok: true } });
    const by = { id: world.client.caller.userId };
    const { outcome } = expected;
    const concluded = await read(world, _id);
    expect(concluded).toMatchObject({
      state: 'done',
      ticket: null,
      suggestions: [],
      reasons: [],
      conclusion: { ...expected, reason, invoiceId: original },
    });
    expect(concluded.history.at(-1)).toMatchObject({
      from: 'ticket_unmatched',
      to: 'done',
      by,
      reasonCodes: [{ code: 'concluded', values: { outcome, text: reason } }],
    });
    expect(await inQueue(_id)).toBe(false);
    const found = (await world.client.call('get', '/invoices/search?state=done&limit=200')).data.items;
    expect(found.find(({ id }: { id: string }) => id === _id)).toMatchObject({ conclusion: { outcome } });
    expect((await link(world, _id)).data).toMatchObject({ code: 'invoice_state_forbidden' });
    for (const _ of [1, 2]) expect((await reopen(_id)).status).toBe(200);
    expect(await read(world, _id)).toMatchObject({ state: 'ticket_unmatched', conclusion: null, suggestions: [{}] });
    const audited = () =>
      service.events.filter(
        ({ type, data }) => type === auditRecorded.type && (data['target'] as { id: string } | null)?.id === _id,
      );
    await eventually(() => expect(audited()).toHaveLength(2));
    expect(audited().map(({ data }) => data['action'])).toEqual(['invoice.concluded', 'invoice.reopened']);
    expect(audited()[0]).toMatchObject({
      data: {
        actor: { user_id: by.id },
        details: { changes: expect.arrayContaining([{ field: 'reason', before: null, after: reason }]) },
      },
    });
  },
);

test('one that waits for review, or cannot be read, is concluded too, and waits there again', async () => {
  const held = await queued({ amounts: wrong });
  const broken = await queued({ number: null });
  for (const { _id } of [held, broken]) expect((await conclude(_id, 'no-ticket')).status).toBe(200);
  for (const { _id } of [held, broken]) expect(await read(world, _id)).toMatchObject({ state: 'done', error: null });
  for (const { _id } of [held, broken]) expect((await reopen(_id)).status).toBe(200);
  expect(await read(world, held._id)).toMatchObject({ state: 'manual_review', reasons: ['amounts_inconsistent'] });
  await service.becomes(broken, { state: 'error', failure: { code: 'unmappable' } });
});

test('the provider is told of a refusal where it takes refusals, and of its end', async () => {
  const invoice = await queued();
  await conclude(invoice._id, 'refuse', refusal);
  await settled(invoice, { outcome: 'refused', link_version: 1, result: 'sent' });
  await service.becomes(invoice, { state: 'done', feedback: { outcome: 'refused', result: 'sent' } });
  await reopen(invoice._id);
  const requests = () => service.eventsOf(invoice._id, invoiceFeedbackRequested).map(({ data }) => data);
  await eventually(() => expect(requests()).toHaveLength(2));
  expect(requests()).toMatchObject([
    { outcome: 'refused', link_version: 1, ticket: null, details: { reason: 'recipient', note: reason } },
    { outcome: 'reversed', link_version: 2, ticket: null },
  ]);
  await conclude(invoice._id, 'refuse', refusal);
  await settled(invoice, { outcome: 'refused', link_version: 3, result: 'failed', reason: 'paid already' });
  await service.becomes(invoice, { state: 'done', flags: expect.arrayContaining(['refusal_failed']) });
  const mute = await queued({ amounts: odd }, { provider: 'mute' });
  await conclude(mute._id, 'refuse', refusal);
  expect(await read(world, mute._id)).toMatchObject({ state: 'done', feedback: null });
  expect(service.eventsOf(mute._id, invoiceFeedbackRequested)).toEqual([]);
});

test.each([
  ['the same content', {}],
  ['content that differs in nothing of weight', { due_date: '2026-12-31' }],
])('a refusal that the provider did not take is told again by a resync that brings %s', async (_what, change) => {
  const content = { number: `FA-${newId()}`, amounts: odd };
  const invoice = await queued(content);
  const resync = () => queued({ ...content, ...change }, { external_id: invoice.external_id, resync: true });
  const told = () => service.eventsOf(invoice._id, invoiceFeedbackRequested).map(({ data }) => data);
  await conclude(invoice._id, 'refuse', refusal);
  await settled(invoice, { outcome: 'refused', link_version: 1, result: 'failed', reason: 'down for a week' });
  await service.becomes(invoice, { state: 'done', flags: expect.arrayContaining(['refusal_failed']) });
  await resync();
  await eventually(() =>
    expect(told()).toMatchObject([{ link_version: 1 }, { link_version: 2, details: { reason: 'recipient' } }]),
  );
  const pending = { outcome: 'refused', version: 2, result: 'pending' };
  await service.becomes(invoice, { state: 'done', feedback: pending, conclusion: { outcome: 'refused' } });
  expect((await service.invoice(invoice))?.flags).not.toContain('refusal_failed');
  await settled(invoice, { outcome: 'refused', link_version: 2, result: 'sent' });
  await service.becomes(invoice, { feedback: { result: 'sent' } });
  await resync();
  expect(told()).toHaveLength(2);
});

test('a refusal that is taken back before the provider has answered is reversed once it has', async () => {
  const invoice = await queued();
  await conclude(invoice._id, 'refuse', refusal);
  await reopen(invoice._id);
  const outcomes = () => service.eventsOf(invoice._id, invoiceFeedbackRequested).map(({ data }) => data['outcome']);
  expect((await service.invoice(invoice))?.feedback).toMatchObject({ outcome: 'refused', result: 'pending' });
  await settled(invoice, { outcome: 'refused', link_version: 1, result: 'sent' });
  await eventually(() => expect(outcomes()).toEqual(['refused', 'reversed']));
});

test.each([2, 3])(
  'of %i invoices that are called duplicates of each other in a ring at once, one stays',
  async (size) => {
    for (let round = 0; round < 8; round += 1) {
      const ring = await Promise.all(Array.from({ length: size }, () => queued()));
      const statuses = await Promise.all(
        ring.map(async ({ _id }, at) => {
          const invoiceId = ring[(at + 1) % size]?._id;
          return (await conclude(_id, 'duplicate-of', { reason, invoiceId })).status;
        }),
      );
      expect(statuses.filter((status) => status === 422).length).toBeGreaterThan(0);
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    }
  },
);

test.each([
  ['itself', (own: Invoice) => own._id],
  ['an unknown one', () => newId()],
  [
    'a duplicate',
    async () => {
      const [copy, original] = [await queued(), await queued()];
      await conclude(copy._id, 'duplicate-of', { reason, invoiceId: original._id });
      return copy._id;
    },
  ],
  ["another company's", async () => (await service.ingest((await service.world()).id, { amounts: odd }))._id],
])('an invoice does not duplicate %s', async (_what, original) => {
  const own = await queued();
  const invoiceId = await original(own);
  const { status, data } = await conclude(own._id, 'duplicate-of', { reason, invoiceId });
  expect([status, data.code]).toEqual([422, 'invalid_duplicate']);
});

test('one on a ticket is not concluded, an outdated decision is refused, and a reason is asked for', async () => {
  const { _id } = await service.ingest(world.id, { references: { purchase_order: world.order } });
  for (const how of ['no-ticket', 'reopen']) {
    const { status, data } = how === 'reopen' ? await reopen(_id) : await conclude(_id, how);
    expect([status, data.code]).toEqual([409, 'invoice_state_forbidden']);
  }
  const waiting = await queued();
  expect((await conclude(waiting._id, 'no-ticket', { reason }, { 'if-match': '"0"' })).status).toBe(412);
  for (const [how, body] of [
    ['no-ticket', { reason: ' ' }],
    ['refuse', { reason }],
    ['refuse', { reason, code: 'dislike' }],
    ['duplicate-of', { reason }],
  ] as const) {
    expect((await conclude(waiting._id, how, body)).status).toBe(422);
  }
});

test('a conclusion survives a resync and other content, unless amount, supplier or account changed', async () => {
  const content = { number: `FA-${newId()}`, amounts: odd };
  const invoice = await queued(content);
  await conclude(invoice._id, 'no-ticket');
  const again = (given: object, resync = false) =>
    queued({ ...content, ...given }, { external_id: invoice.external_id, resync });
  for (const [given, resync] of [
    [{}, true],
    [{ due_date: '2026-12-31' }, false],
  ] as const) {
    expect(await again(given, resync)).toMatchObject({ state: 'done', conclusion: { outcome: 'no_ticket' } });
  }
  await again({ amounts: { ht: '8.00', tva: '1.60', ttc: '9.60' } });
  await service.becomes(invoice, { state: 'manual_review', reasons: ['changed_after_link'], conclusion: null });
});

test('a copy of a refused invoice waits for a person; a duplicate holds nothing back', async () => {
  const content = { number: `FA-${newId()}`, amounts: odd };
  const refused = await queued(content);
  await conclude(refused._id, 'refuse', refusal);
  const copy = await queued(content);
  expect(copy).toMatchObject({ state: 'manual_review', reasons: ['duplicate_suspected'] });
  const [duplicate, original] = [await queued({ ...content, number: `D-${content.number}` }), await queued()];
  await conclude(duplicate._id, 'duplicate-of', { reason, invoiceId: original._id });
  expect(await queued({ ...content, number: `D-${content.number}` })).toMatchObject({ state: 'ticket_unmatched' });
  expect((await world.client.call('post', `/invoices/${copy._id}/link`, toView(world))).status).toBe(200);
});
