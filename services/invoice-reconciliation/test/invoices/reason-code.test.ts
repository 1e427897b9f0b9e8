import { allStatuses } from '@app/contracts';
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
import { conclude, reopen } from '../../review/conclude.ts';
import { aFetchedInvoice, anInvoice, at, canonical } from '../invoices.ts';

const act = { at, by: { id: newId() } };
const ticket = { id: newId(), number: 'T-1' };
const target: TicketTarget = {
  ticket,
  view: { id: newId(), contractor_id: newId() },
  claim: `t:${ticket.id}:1`,
  accountClaims: [],
  heard: allStatuses,
  po_ref: null,
};
const queued = anInvoice({ state: 'ticket_unmatched' });
const linked = link(queued, target, act).invoice;
const concluded = conclude(queued, { outcome: 'no_ticket', reason: 'ours: no, never' }, { ...act, heard: {} });
const numbers = { siren: '732829320', siret: null, accounts: [], flags: [] };
const supplier = { contractorId: null, contractorIds: [], flags: [] };
const unknown = {
  creditsRefused: false,
  numbers,
  supplier,
  accounts: { confirmed: [], ofOthers: [] },
  duplicates: [],
};
const contractorId = newId();
const found = { ticketId: newId(), viewId: newId(), number: 'T-1', title: '' };
const one = { ...found, score: 55, reasons: ['x'], signals: [] };
const outcome = { ticketId: null, viewId: null, contractorId: null, score: null, margin: null, flags: [] };
const suggested = (suggestions: (typeof one)[]) =>
  matched(
    anInvoice({ state: 'supplier_matched' }),
    {
      target: null,
      doubts: [],
      retryAt: at,
      outcome: { ...outcome, decision: 'queue', suggestions, scoreVersion: 1 },
    },
    at,
  );
const settled = {
  invoice_id: linked._id,
  client_id: linked.client_id,
  link_version: 1,
  outcome: 'taken_in_charge' as const,
  reason: 'try 3',
  at: at.toISOString(),
};
const fetched = aFetchedInvoice();
const other = { ...canonical, amounts: { ht: 1, tva: 0, ttc: 1 } };

const normalized = (given: Partial<Invoice> = {}) => anInvoice({ state: 'normalized', ...given });
const withIban = { ...canonical, supplier: { ...canonical.supplier, accounts: ['FR7630006000011234567890189'] } };
const elsewhere = {
  ...unknown,
  accounts: { confirmed: ['FR7610107001011234567890129'], ofOthers: [] },
  supplier: { ...supplier, contractorId, contractorIds: [contractorId] },
};
const doubtful = { provider_status: 'refused', canonical: { ...canonical, amounts: { ht: 1, tva: 1, ttc: 9 } } };
const otherContent = { ...fetched, content: { ...fetched.content, raw: { ...fetched.content.raw, hash: 'b' } } };
const afterwards = { at: new Date(at.getTime() + 1), sequence: at.getTime() + 1 };
const tried = { step: 'ticket', code: 'x', attempts: 2, from: 'received' } as const;

/**
 * The last move that each rule makes, with the codes and values from which a client makes its text.
 */
const moves: [rule: string, decision: Decision, codes: string, values?: object][] = [
  ['link', link({ ...queued, ticket_id: null }, { ...target, heard: {} }, act), 'linked', { ticket: 'T-1' }],
  [
    'link all the same',
    link({ ...queued, ticket_id: null }, { ...target, heard: {} }, { ...act, reason: 'as agreed' }),
    'linked',
    { ticket: 'T-1', text: 'as agreed' },
  ],
  ['unlink', unlink(linked, at, act), 'unlinked'],
  ['undoLink', undoLink(linked, at, act), 'link_undone'],
  ['clearReview', clearReview(anInvoice({ state: 'manual_review' }), at, act), 'review_cleared'],
  ['conclude', concluded, 'concluded', { outcome: 'no_ticket', text: 'ours: no, never' }],
  ['reopen', reopen(concluded.invoice, at, { ...act, isReversible: true }), 'reopened'],
  ['ticketGone', ticketGone(linked, ticket.id, at), 'ticket_gone'],
  [
    'match',
    match(queued, { ...target, reason: 'score 93: order X agrees, and', signals: [], set: {} }, at),
    'ticket_found',
    { score: 93 },
  ],
  ['no ticket', suggested([]), 'no_ticket'],
  ['one ticket', suggested([one]), 'tickets_suggested', { count: 1, score: 55 }],
  ['two tickets', suggested([one, one]), 'tickets_suggested', { count: 2, score: 55 }],
  ['no supplier', identified(normalized(), unknown, at), 'supplier_unknown'],
  [
    'two suppliers',
    identified(normalized(), { ...unknown, supplier: { ...supplier, contractorIds: ['a', 'b'] } }, at),
    'several_suppliers',
  ],
  ['an unknown IBAN', identified(normalized({ canonical: withIban }), elsewhere, at), 'iban_changed'],
  ['two reasons', identified(normalized(doubtful), unknown, at), 'amounts_inconsistent provider_status'],
  [
    'failed',
    failed(anInvoice({ state: 'received' }), { step: 'normalize', code: 'internal_error', delaysMs: [] }, at),
    'step_failed',
    { step: 'normalize', failure: 'internal_error' },
  ],
  ['retry', retry(anInvoice({ state: 'error', failure: tried }), at), 'retried', { attempt: 3 }],
  [
    'unmappable',
    unmappable(received(fetched, at).invoice, { code: 'unmappable', message: 'no total' }, at),
    'unreadable',
    { text: 'no total' },
  ],
  ['restart', restart(queued, { fetched: { ...fetched, content: queued.content }, canonical }, at), 'resynced'],
  ['other content', restart(queued, { fetched: otherContent, canonical }, at), 'content_replaced'],
  ['changed', updateLinked(linked, { fetched, canonical: other }, at), 'changed_after_link'],
  ['unreadable', updateLinked(linked, { fetched, canonical: null }, at), 'content_unreadable'],
  ['deleted', deletedAtProvider(queued, afterwards, at), 'deleted_at_provider'],
  // A provider's sentence is never read as one of ours.
  [
    'refused',
    applyFeedbackResult(linked, { ...settled, result: 'failed', refused: true }, at),
    'feedback_refused',
    { text: 'try 3' },
  ],
  ['accepted', applyFeedbackResult(linked, { ...settled, result: 'sent', refused: false }, at), 'feedback_confirmed'],
];
const last = ({ invoice }: Decision) => (invoice as Invoice).history.at(-1);

test.each(moves)('the move of the rule %s has its codes', (_rule, decision, codes, values = {}) => {
  const move = last(decision);
  expect(move && codedMove(move)).toEqual(codes.split(' ').map((code) => ({ code, values })));
});

test('each code is that of a move or of a review, but for sentences that no rule of this release words', () => {
  const seen = new Set(moves.flatMap(([, , codes]) => codes.split(' ')));
  const review = [
    'duplicate_suspected',
    'document_hash_mismatch',
    'supplier_is_client',
    'credits_refused',
    'several_parties',
  ];
  expect(reasonCodes.filter((code) => !seen.has(code))).toEqual([...review, 'other']);
  expect(review.map(codedReason)).toEqual(review.map((code) => ({ code, values: {} })));
  expect(codedReason('for the sake of it')).toEqual({ code: 'other', values: { text: 'for the sake of it' } });
  expect(codedMove({ from: null, to: 'received', reason: null })).toEqual([]);
});
