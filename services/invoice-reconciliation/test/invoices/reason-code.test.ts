import { newId } from '@app/kernel';
import { applyFeedbackResult } from '../../feedback/feedback.ts';
import { failed, retry, unmappable } from '../../intake/pipeline-rules.ts';
import { deletedAtProvider, received, restart, updateLinked } from '../../intake/refetch.ts';
import type { Decision, Invoice } from '../../invoices/invoice.ts';
import { codedMove, codedReason, reasonCodes } from '../../invoices/reason-code.ts';
import { identified } from '../../matching/supplier-rules.ts';
import { clearReview, link, match, ticketGone, undoLink, unlink } from '../../matching/ticket-link.ts';
import { matched } from '../../matching/ticket-rules.ts';
import type { TicketTarget } from '../../matching/ticket-target.ts';
import { aFetchedInvoice, anInvoice, at, canonical } from '../invoices.ts';

const act = { at, by: { id: newId() } };
const ticket = { id: newId(), number: 'T-1' };
const target: TicketTarget = {
  ...{ ticket, view: { id: newId(), contractor_id: newId() }, claim: `t:${ticket.id}:1` },
  ...{ hasFeedback: true, po_ref: null },
};
const queued = anInvoice({ state: 'ticket_unmatched' });
const linked = link(queued, target, act).invoice;
const numbers = { siren: '732829320', siret: null, iban: null, flags: [] };
const supplier = { contractorId: null, contractorIds: [], flags: [] };
const unknown = { numbers, supplier, ibans: [], duplicates: [] };
const contractorId = newId();
const one = { ticketId: newId(), viewId: newId(), number: 'T-1', title: '', score: 55, reasons: ['x'] };
const outcome = { ticketId: null, viewId: null, contractorId: null, score: null, margin: null, flags: [] };
const suggested = (suggestions: (typeof one)[]) =>
  matched(
    anInvoice({ state: 'supplier_matched' }),
    {
      ...{ target: null, doubts: [], retryAt: at },
      outcome: { ...outcome, decision: 'queue', suggestions, scoreVersion: 1 },
    },
    at,
  );
const settled = {
  ...{ invoice_id: linked._id, client_id: linked.client_id, link_version: 1, outcome: 'taken_in_charge' as const },
  ...{ reason: 'try 3', at: at.toISOString() },
};
const fetched = aFetchedInvoice();
const other = { ...canonical, amounts: { ht: 1, tva: 0, ttc: 1 } };

/**
 * The last move that each rule makes, with the codes and values from which a client makes its text.
 */
const moves: [rule: string, decision: Decision, coded: object[]][] = [
  [
    'link',
    link({ ...queued, ticket_id: null }, { ...target, hasFeedback: false }, act),
    [{ code: 'linked', values: { ticket: 'T-1' } }],
  ],
  ['unlink', unlink(linked, at, act), [{ code: 'unlinked', values: {} }]],
  ['undoLink', undoLink(linked, at, act), [{ code: 'link_undone', values: {} }]],
  [
    'clearReview',
    clearReview(anInvoice({ state: 'manual_review' }), at, act),
    [{ code: 'review_cleared', values: {} }],
  ],
  ['ticketGone', ticketGone(linked, ticket.id, at), [{ code: 'ticket_gone', values: {} }]],
  [
    'match',
    match(queued, { ...target, reason: 'score 93: order X agrees, and', signals: [], set: {} }, at),
    [{ code: 'ticket_found', values: { score: 93 } }],
  ],
  ['no ticket', suggested([]), [{ code: 'no_ticket', values: {} }]],
  ['one ticket', suggested([one]), [{ code: 'tickets_suggested', values: { count: 1, score: 55 } }]],
  ['two tickets', suggested([one, one]), [{ code: 'tickets_suggested', values: { count: 2, score: 55 } }]],
  [
    'no supplier',
    identified(anInvoice({ state: 'normalized' }), unknown, at),
    [{ code: 'supplier_unknown', values: {} }],
  ],
  [
    'two suppliers',
    identified(
      anInvoice({ state: 'normalized' }),
      { ...unknown, supplier: { ...supplier, contractorIds: ['a', 'b'] } },
      at,
    ),
    [{ code: 'several_suppliers', values: {} }],
  ],
  [
    'an unknown IBAN',
    identified(
      anInvoice({
        state: 'normalized',
        canonical: { ...canonical, supplier: { ...canonical.supplier, iban: 'FR7630006000011234567890189' } },
      }),
      {
        ...unknown,
        supplier: { ...supplier, contractorId, contractorIds: [contractorId] },
        ibans: ['FR7610107001011234567890129'],
      },
      at,
    ),
    [{ code: 'iban_changed', values: {} }],
  ],
  [
    'two reasons for review',
    identified(
      anInvoice({
        state: 'normalized',
        provider_status: 'refused',
        canonical: { ...canonical, amounts: { ht: 1, tva: 1, ttc: 9 } },
      }),
      unknown,
      at,
    ),
    [
      { code: 'amounts_inconsistent', values: {} },
      { code: 'provider_status', values: {} },
    ],
  ],
  [
    'failed',
    failed(anInvoice({ state: 'received' }), { step: 'normalize', code: 'internal_error', delaysMs: [] }, at),
    [{ code: 'step_failed', values: { step: 'normalize', failure: 'internal_error' } }],
  ],
  [
    'retry',
    retry(anInvoice({ state: 'error', failure: { step: 'ticket', code: 'x', attempts: 2, from: 'received' } }), at),
    [{ code: 'retried', values: { attempt: 3 } }],
  ],
  [
    'unmappable',
    unmappable(received(fetched, at).invoice, { code: 'unmappable', message: 'no total' }, at),
    [{ code: 'unreadable', values: { text: 'no total' } }],
  ],
  [
    'restart',
    restart(queued, { fetched: { ...fetched, content: queued.content }, canonical }, at),
    [{ code: 'resynced', values: {} }],
  ],
  [
    'other content',
    restart(
      queued,
      {
        fetched: { ...fetched, content: { ...fetched.content, raw: { ...fetched.content.raw, hash: 'b' } } },
        canonical,
      },
      at,
    ),
    [{ code: 'content_replaced', values: {} }],
  ],
  ['changed', updateLinked(linked, { fetched, canonical: other }, at), [{ code: 'changed_after_link', values: {} }]],
  ['unreadable', updateLinked(linked, { fetched, canonical: null }, at), [{ code: 'content_unreadable', values: {} }]],
  [
    'deleted',
    deletedAtProvider(queued, { at: new Date(at.getTime() + 1), sequence: null }, at),
    [{ code: 'deleted_at_provider', values: {} }],
  ],
  // A provider's sentence is never read as one of ours.
  [
    'refused',
    applyFeedbackResult(linked, { ...settled, result: 'failed' }, at),
    [{ code: 'feedback_refused', values: { text: 'try 3' } }],
  ],
  [
    'accepted',
    applyFeedbackResult(linked, { ...settled, result: 'sent' }, at),
    [{ code: 'feedback_confirmed', values: {} }],
  ],
];
const last = ({ invoice }: Decision) => (invoice as Invoice).history.at(-1);

test.each(moves)('the move of the rule %s has its codes', (_rule, decision, coded) => {
  const move = last(decision);
  expect(move && codedMove(move)).toEqual(coded);
});

test('each code is that of a move or of a review, but for sentences that no rule of this release words', () => {
  const seen = new Set(moves.flatMap(([, , coded]) => coded.map((one) => (one as { code: string }).code)));
  const review = ['duplicate_suspected', 'document_hash_mismatch', 'supplier_is_client'];
  expect(reasonCodes.filter((code) => !seen.has(code))).toEqual([...review, 'other']);
  expect(review.map(codedReason)).toEqual(review.map((code) => ({ code, values: {} })));
  expect(codedReason('for the sake of it')).toEqual({ code: 'other', values: { text: 'for the sake of it' } });
  expect(codedMove({ from: null, to: 'received', reason: null })).toEqual([]);
});
