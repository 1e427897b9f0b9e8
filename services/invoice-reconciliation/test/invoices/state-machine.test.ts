import { invoiceStateChanged, type NotificationRaised, notificationRaised } from '@app/contracts';
import { newId } from '@app/kernel';
import { type Decision, type Invoice, type State, states } from '../../invoices/invoice.ts';
import { begin, mayMove, move, type Trigger, table } from '../../invoices/state-machine.ts';
import { anInvoice, at } from '../invoices.ts';

const ticket_id = newId();
const unmatched = 'supplier_matched supplier_unmatched';
const early = `received normalized ${unmatched}`;
const told = 'ticket_matched linked feedback_pending feedback_sent';
const linked = `${told} done`;
const stopped = 'manual_review error';
const failure = { step: 'ticket', code: 'x', attempts: 1, from: 'supplier_matched' } as const;

/** Written by hand, not derived: trigger, from which states without and with a ticket (the same, if one is given), to which state. */
const rows: [Trigger, [string, string?], State][] = [
  ['fail', [`${early} ticket_matched linked`], 'error'],
  ['normalize', ['received'], 'normalized'],
  ['unmappable', ['received'], 'error'],
  ['block', ['normalized'], 'manual_review'],
  ['supplier_found', ['normalized'], 'supplier_matched'],
  ['supplier_missing', ['normalized'], 'supplier_unmatched'],
  ['iban_change', ['supplier_matched'], 'manual_review'],
  ['ticket_found', [unmatched], 'ticket_matched'],
  ['ticket_missing', [unmatched], 'ticket_unmatched'],
  [
    'link',
    [`${unmatched} ticket_unmatched ${told} ${stopped}`, `${unmatched} ticket_unmatched ${linked} ${stopped}`],
    'linked',
  ],
  ['unlink', [told, `${linked} ${stopped}`], 'ticket_unmatched'],
  ['undo_to_review', [told, linked], 'manual_review'],
  ['ask_feedback', ['ticket_matched linked'], 'feedback_pending'],
  ['no_feedback', ['ticket_matched feedback_pending'], 'done'],
  ['feedback_accepted', ['feedback_pending'], 'feedback_sent'],
  ['feedback_refused', ['feedback_pending'], 'error'],
  ['confirm', ['feedback_sent'], 'done'],
  ['rematch', ['ticket_unmatched'], 'ticket_matched'],
  ['rematch_block', ['ticket_unmatched'], 'manual_review'],
  ['restart', [`${early} ticket_unmatched ${stopped}`, ''], 'received'],
  ['ask_again', ['', 'error'], 'supplier_matched'],
  ['change_after_link', [told, `${linked} ${stopped}`], 'manual_review'],
  ['provider_status', [`${early} ticket_unmatched ${stopped}`, ''], 'manual_review'],
  ['ended_after_link', [told, `${linked} error`], 'manual_review'],
  ['ticket_gone', [told, `${linked} error`], 'manual_review'],
  ['retry', ['error'], 'supplier_matched'],
  ['clear', ['manual_review', ''], 'ticket_unmatched'],
  ['conclude', [`ticket_unmatched ${stopped}`, 'ticket_unmatched'], 'done'],
  ['reopen', ['done', ''], 'manual_review'],
  ['change_after_conclusion', ['done', ''], 'manual_review'],
];

const before = { state: 'manual_review' as const, suggestions: [], reasons: [] };
const conclusion = { outcome: 'no_ticket' as const, reason: 'x', before };

/** Without a ticket, `done` is what a person concluded. */
const inState = (state: State, given: Partial<Invoice> = {}) =>
  anInvoice({
    state,
    failure: state === 'error' ? failure : null,
    conclusion: state === 'done' && !given.ticket_id ? conclusion : null,
    ...given,
  });

test.each(['manual_review', 'error'] as const)(
  'an invoice in %s that was never read is neither linked nor cleared',
  (state) => {
    const unread = inState(state, { canonical: null });
    expect([mayMove(unread, 'link'), mayMove(unread, 'clear')]).toEqual([false, false]);
  },
);

test('the table has these transitions, no other, and none twice', () => {
  expect(table.map(({ trigger }) => trigger).sort()).toEqual(['ingest', ...rows.map(([trigger]) => trigger)].sort());
});

describe.each(rows)('%s', (trigger, [without, withTicket = without], to) => {
  test.each(states)('from %s', (state) => {
    for (const [given, allowed] of [
      [{ ticket_id: null }, without],
      [{ ticket_id }, withTicket],
    ] as const) {
      const invoice = inState(state, given);
      if (!allowed.split(' ').includes(state)) {
        expect(() => move(invoice, { trigger, at })).toThrow(
          expect.objectContaining({
            kind: 'conflict',
            code: 'invoice_state_forbidden',
            details: { from: state, operation: trigger },
          }),
        );
        continue;
      }
      const after = move(invoice, { trigger, at, reason: 'why' });
      expect(after.invoice).toMatchObject({ state: to, version: invoice.version + 1 });
      expect(after.invoice.history.at(-1)).toEqual({ at, from: state, to, reason: 'why' });
      expect(after.events.filter(({ type }) => type === invoiceStateChanged.type)).toMatchObject([
        { data: { from: state, to, version: invoice.version + 1, reason: 'why' } },
      ]);
    }
  });
});

test('a new invoice is received, with an event; a known one does not begin again', () => {
  const { invoice, events } = begin(anInvoice({ history: [] }));
  expect(invoice).toMatchObject({ state: 'received', version: 1, history: [{ from: null, to: 'received' }] });
  expect(events).toMatchObject([{ data: { from: null, to: 'received', version: 1 } }]);
  expect([mayMove(null, 'ingest'), ...states.map((state) => mayMove(inState(state), 'ingest'))]).toEqual([
    true,
    ...states.map(() => false),
  ]);
});

test('who works on invoices is told once when one begins to wait, and not while it is matched again or retried', () => {
  const raised = ({ events }: Decision) =>
    events.flatMap(({ type, data }) => (type === notificationRaised.type ? [data as NotificationRaised] : []));
  const later = new Date(at.getTime() + 1_000);
  const matched = move(inState('normalized', { history: [], ticket_id: null }), { trigger: 'supplier_found', at });
  expect(raised(matched)).toEqual([]);
  const waits = move(matched.invoice, { trigger: 'ticket_missing', at });
  const [first] = raised(waits);
  expect(first).toMatchObject({
    company_id: waits.invoice.client_id,
    kind: 'invoice_waits',
    key: `invoice:${waits.invoice._id}:waits:${at.toISOString()}`,
    to: { permission: 'accounting', manager_ids: [], place_ids: null },
    invoice: { id: waits.invoice._id, number: waits.invoice.canonical?.number },
    text: waits.invoice.canonical?.supplier.name,
  });
  const again = ['restart', 'normalize', 'supplier_missing', 'ticket_missing'] as const;
  let { invoice } = waits;
  for (const trigger of again) {
    const next = move(invoice, { trigger, at: later });
    expect(raised(next)).toEqual([]);
    invoice = next.invoice;
  }
  const linked = move(invoice, { trigger: 'link', at: later, set: { ticket_id } });
  expect(raised(linked)).toEqual([]);
  const changed = move(linked.invoice, { trigger: 'change_after_link', at: later });
  // At a place that this service does not know: users who are limited to some are not told.
  expect(raised(changed)).toMatchObject([{ to: { place_ids: [] } }]);
  const failing = { trigger: 'fail', at, set: { due_at: later } } as const;
  expect(raised(move(inState('normalized', { history: [] }), failing))).toEqual([]);
});

test('transient states are due, others are not', () => {
  const due = (trigger: Trigger, state: State) => move(inState(state), { trigger, at }).invoice.due_at;
  expect(due('normalize', 'received')).toEqual(new Date(at.getTime() + 60_000));
  expect([
    due('ticket_missing', 'supplier_matched'),
    due('confirm', 'feedback_sent'),
    due('clear', 'manual_review'),
  ]).toEqual([null, null, null]);
});

test('the history keeps the last hundred moves', () => {
  let invoice = inState('ticket_matched', { history: [] });
  for (let count = 0; count < 150; count++) {
    invoice = move(
      { ...invoice, state: 'ticket_matched' },
      { trigger: 'ask_feedback', at, reason: String(count) },
    ).invoice;
  }
  expect(invoice.history).toHaveLength(100);
  expect(invoice.history.at(-1)).toMatchObject({ reason: '149' });
});
