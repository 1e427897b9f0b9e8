import {
  invoiceFeedbackRequested,
  invoiceFetched,
  invoiceGone,
  invoiceLineChanged,
  invoiceStateChanged,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { odd, useService } from '../reconciliation.ts';

const service = useService();

test('an invoice that names the order of a ticket is completed automatically, with an event for every move', async () => {
  const { id, ticket, contractor, order } = await service.world();
  const invoice = await service.ingest(id, { references: { purchase_order: order } });
  expect(invoice).toMatchObject({ state: 'feedback_pending', ticket_id: ticket.id, supplier_id: contractor.id });
  const way = ['received', 'normalized', 'supplier_matched', 'ticket_matched', 'feedback_pending'];
  expect(invoice.history.map(({ to }) => to)).toEqual(way);
  await eventually(() => {
    const moves = service.eventsOf(invoice._id, invoiceStateChanged).map(({ data }) => data['to']);
    expect(moves.sort()).toEqual([...way].sort());
    expect(service.eventsOf(invoice._id, invoiceLineChanged)).toMatchObject([
      { data: { version: 1, line: { ticket_id: ticket.id, reference: invoice.canonical?.number, price: '100' } } },
    ]);
    expect(service.eventsOf(invoice._id, invoiceFeedbackRequested)).toMatchObject([
      { data: { link_version: 1, outcome: 'taken_in_charge', ticket: { number: ticket.number }, po_ref: order } },
    ]);
  });
});

test('ten deliveries of the same invoice at once make one invoice, one line and one request', async () => {
  const { id, order } = await service.world();
  const payload = { number: `FA-${newId()}`, references: { purchase_order: order } };
  const external_id = newId();
  const events = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      service.payload(id, payload, { external_id, fetched_at: new Date(Date.now() + index).toISOString() }),
    ),
  );
  await service.publish(invoiceFetched, ...events);
  const last = events.at(-1)?.fetched_at;
  await eventually(async () => {
    const invoice = await service.invoice({ client_id: id, external_id });
    expect(invoice?.content.fetched_at.toISOString()).toBe(last);
    expect(service.eventsOf(invoice?._id ?? '', invoiceFeedbackRequested)).toHaveLength(1);
  });
  expect(await service.connection.collection('invoices').countDocuments({ client_id: id })).toBe(1);
  const invoice = await service.invoice({ client_id: id, external_id });
  expect(service.eventsOf(invoice?._id ?? '', invoiceLineChanged)).toHaveLength(1);
  expect(service.eventsOf(invoice?._id ?? '', invoiceStateChanged)).toHaveLength(5);
  // Files that are not needed are removed.
  await eventually(async () => {
    const kept = await service.connection
      .collection('fs.files')
      .countDocuments({ _id: { $in: events.map(({ raw }) => raw.key) } as never });
    expect(kept).toBe(1);
  });
});

test('older content that arrives late does not overwrite newer, and repeated content changes nothing', async () => {
  const { id } = await service.world();
  const external_id = newId();
  const at = (seconds: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + seconds * 1000).toISOString();
  const newer = await service.ingest(id, { number: 'NEW' }, { external_id, fetched_at: at(2) });
  const older = await service.payload(id, { number: 'OLD' }, { external_id, fetched_at: at(1) });
  const marker = await service.payload(id, { number: 'MARK' });
  await service.publish(invoiceFetched, older, older, marker);
  await eventually(async () => expect(await service.invoice(marker)).not.toBeNull());
  expect(await service.invoice({ client_id: id, external_id })).toMatchObject({
    canonical: { number: 'NEW' },
    history: newer.history,
  });
});

test.each([
  ['of replicas whose clocks are a second apart', -1_000],
  ['of a clock that stepped back by an hour', -3_600_000],
])('the newer content %s wins, and its files stay', async (_clocks, step) => {
  const { id, order, ticket } = await service.world();
  const external_id = newId();
  const at = (ms: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + ms).toISOString();
  const references = { purchase_order: order };
  const own = (sequence: number, ms: number) => ({ external_id, sequence, fetched_at: at(ms) });
  const first = await service.ingest(id, { references }, own(1, 0));
  expect(first).toMatchObject({ state: 'feedback_pending', ticket_id: ticket.id });
  const amounts = { ht: '90.00', tva: '18.00', ttc: '108.00' };
  const changed = await service.payload(id, { references, amounts }, own(3, step));
  const between = await service.payload(id, { references, amounts: odd }, own(2, 5_000));
  await service.settle(invoiceFetched, changed, between);
  expect(await service.invoice(changed)).toMatchObject({
    state: 'manual_review',
    reasons: ['changed_after_link'],
    canonical: { amounts: { ht: 90 } },
    content: { raw: changed.raw, sequence: 3 },
  });
  const files = service.connection.collection('fs.files');
  const keys = [first.content.raw.key, changed.raw.key, between.raw.key];
  expect((await files.find({ _id: { $in: keys as never[] } }).toArray()).map(({ _id }) => _id)).toEqual([
    changed.raw.key,
  ]);

  // The sequence decides for deletions too, of known and unknown invoices.
  for (const [external, sequences] of [
    [external_id, [5, 4]],
    [newId(), [2, 1]],
  ] as const) {
    const [gone, fetched] = sequences;
    const late = await service.payload(id, {}, { external_id: external, sequence: fetched, fetched_at: at(9_000) });
    const ids = { client_id: id, provider: 'sandbox', external_id: external };
    await service.settle(invoiceGone, { ...ids, at: at(step), sequence: gone });
    await service.settle(invoiceFetched, late);
    expect(await files.countDocuments({ _id: late.raw.key as never })).toBe(0);
  }
  expect(await service.invoice(changed)).toMatchObject({ provider_status: 'deleted', content: { sequence: 5 } });
});

test('content fetched before a deletion does not restore the invoice, known or unknown', async () => {
  const { id } = await service.world();
  const at = (seconds: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + seconds * 1000).toISOString();
  const [known, unknown] = [newId(), newId()];
  await service.ingest(id, { amounts: odd }, { external_id: known, fetched_at: at(1) });
  const own = { client_id: id, provider: 'sandbox' };
  for (const external_id of [known, unknown]) {
    const late = await service.payload(id, { amounts: odd, number: 'LATE' }, { external_id, fetched_at: at(3) });
    // Repeated and out of order: the later one counts.
    for (const seconds of [4, 2]) {
      const sequence = Date.parse(at(seconds));
      await service.settle(invoiceGone, { ...own, external_id, at: at(seconds), sequence });
    }
    await service.settle(invoiceFetched, late);
    const files = service.connection.collection('fs.files');
    expect(await files.countDocuments({ _id: late.raw.key as never })).toBe(0);
  }
  expect(await service.invoice({ client_id: id, external_id: known })).toMatchObject({
    state: 'manual_review',
    provider_status: 'deleted',
  });
  expect(await service.invoice({ client_id: id, external_id: unknown })).not.toHaveProperty('state');
  expect((await service.as({ companyId: id }).call('get', '/invoices')).data.items).toEqual([]);
  // Content fetched later: the provider has the invoice again.
  const back = await service.payload(id, { amounts: odd }, { external_id: unknown, fetched_at: at(5) });
  await service.publish(invoiceFetched, back);
  await service.becomes(back, { state: 'ticket_unmatched' });
});

test('if an invoice and its later deletion arrive at the same time, the deletion counts', async () => {
  const { id } = await service.world();
  const events = await Promise.all(Array.from({ length: 12 }, () => service.payload(id, { amounts: odd })));
  const at = new Date().toISOString();
  const gone = { client_id: id, provider: 'sandbox', at, sequence: Date.parse(at) + 1 };
  await Promise.all(
    events.flatMap((event) => [
      service.settle(invoiceFetched, event),
      service.settle(invoiceGone, { ...gone, external_id: event.external_id }),
    ]),
  );
  const invoices = service.connection.collection('invoices');
  expect(await invoices.countDocuments({ client_id: id })).toBe(12);
  const deleted = [{ gone_at: { $gt: new Date(0) } }, { state: 'manual_review', provider_status: 'deleted' }];
  expect(await invoices.countDocuments({ client_id: id, $or: deleted })).toBe(12);
});

test('changed content of an invoice without ticket restarts it', async () => {
  const { id, order, ticket } = await service.world();
  const first = await service.ingest(id, { number: 'A-1', amounts: odd });
  expect(first.state).toBe('ticket_unmatched');
  const again = await service.ingest(
    id,
    { number: 'A-1', references: { purchase_order: order } },
    { external_id: first.external_id },
  );
  expect(again).toMatchObject({ _id: first._id, ticket_id: ticket.id, state: 'feedback_pending' });
});

test('an unreadable payload is an error, and a resync tries again', async () => {
  const { id } = await service.world();
  const broken = await service.ingest(id, { number: null });
  expect(broken).toMatchObject({ state: 'error', failure: { code: 'unmappable' }, due_at: null, canonical: null });
  const again = await service.ingest(
    id,
    { number: 'B-1', amounts: odd },
    { external_id: broken.external_id, resync: true },
  );
  expect(again.state).toBe('ticket_unmatched');
});

test('a failing step is an error, retried after each delay and then left', async () => {
  const { id } = await service.world();
  const event = await service.payload(id);
  const lost = { ...event, raw: { ...event.raw, key: 'x'.repeat(43) } };
  await service.publish(invoiceFetched, lost);
  await service.becomes(lost, {
    state: 'error',
    failure: { step: 'normalize', attempts: 4 },
    due_at: null,
  });
  const { external_id } = event;
  const again = await service.ingest(id, { amounts: odd }, { external_id });
  expect(again).toMatchObject({ state: 'ticket_unmatched', failure: null });
});

test('an invoice that a crash left in a transient state is continued (each of them)', async () => {
  const { id, order, ticket } = await service.world();
  const invoices = service.connection.collection('invoices');
  for (const state of ['received', 'normalized', 'supplier_matched', 'supplier_unmatched'] as const) {
    const done = await service.ingest(id, { amounts: odd });
    await service.becomes(done, { rematch_at: null, due_at: null });
    await invoices.updateOne(
      { _id: done._id as never },
      { $set: { state, due_at: new Date(), ...(state === 'received' ? { canonical: null } : {}) } },
    );
    await service.becomes(done, { state: 'ticket_unmatched', due_at: null });
  }
  const done = await service.ingest(id, { references: { purchase_order: order } }, { provider: 'mute' });
  expect(done).toMatchObject({ state: 'done', ticket_id: ticket.id });
  await invoices.updateOne({ _id: done._id as never }, { $set: { state: 'ticket_matched', due_at: new Date() } });
  await service.becomes(done, { state: 'done', due_at: null });
});

test.each(['linked', 'manual_review', 'done'] as const)(
  'a lease under which an invoice became %s ends',
  async (state) => {
    const { id, ticket } = await service.world();
    const invoice = await service.ingest(id, { amounts: odd }, { provider: 'mute' });
    await service.becomes(invoice, { rematch_at: null, due_at: null });
    const placed = { state, ticket_id: state === 'manual_review' ? null : ticket.id, due_at: new Date() };
    await service.connection.collection('invoices').updateOne({ _id: invoice._id as never }, { $set: placed });
    await service.becomes(invoice, { ...placed, due_at: null });
  },
);

test('logs contain ids, never the content of invoices', async () => {
  const { id } = await service.world();
  await service.ingest(id, {
    number: 'SECRET-NUMBER',
    supplier: { name: 'SECRET NAME', iban: 'FR7630006000011234567890189' },
  });
  expect(service.logged()).not.toMatch(/SECRET|FR7630006/);
});

test('endless texts and numbers do not delay other companies, and leave their own invoices readable', async () => {
  const zeros = '0'.repeat(60_000);
  const [hostile, good] = await Promise.all([service.world(), service.world()]);
  const payloads: object[] = [
    { amounts: odd, references: { purchase_order: 'BC-'.repeat(8_000) } },
    { amounts: odd, references: { purchase_order: `${zeros}A`, ticket: zeros } },
    { amounts: odd, notes: [`${zeros}A`, 'REF '.repeat(20_000)], lines: [{ label: `${zeros}A` }] },
    { amounts: { ...odd, ttc: `8.4${zeros}1` } },
  ];
  const sent = await Promise.all(
    payloads.map((payload) => service.payload(hostile.id, { number: newId(), ...payload })),
  );
  await service.publish(invoiceFetched, ...sent);
  const linked = await service.ingest(good.id, { references: { purchase_order: good.order } });
  expect(linked).toMatchObject({ state: 'feedback_pending', ticket_id: good.ticket.id });

  await eventually(async () => {
    const [labels, numbers, texts, amount] = await Promise.all(sent.map((one) => service.invoice(one)));
    const noReference = { matchHints: { poRef: null, ticketRef: null }, references: [] };
    expect(labels).toMatchObject({ state: 'ticket_unmatched', canonical: noReference });
    expect(numbers).toMatchObject({ state: 'ticket_unmatched', canonical: noReference });
    expect(texts).toMatchObject({ state: 'ticket_unmatched', canonical: { lines: [{ label: '0'.repeat(300) }] } });
    expect(texts?.canonical?.notes.map(({ length }) => length)).toEqual([1_000, 1_000]);
    expect(amount).toMatchObject({ state: 'error', failure: { code: 'unmappable' } });
  });
});
