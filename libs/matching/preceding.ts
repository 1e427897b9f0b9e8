import { viewFor } from './candidates.ts';
import { type Flag, type MatchDecision, type MatchInput, scoreVersion } from './matching.ts';
import type { Signal } from './scoring/signal.ts';

const certain = 100;

/**
 * The ticket of a credit note or a corrective invoice is that of the invoice it names; its amount
 * is never compared. `queue` without suggestions: that invoice is unknown or has no ticket, several
 * tickets are possible, the supplier is unknown, or the ticket cannot be linked (removed, canceled,
 * excluded, or without a view for the supplier).
 */
export function decideByPreceding({ invoice, supplier, candidates, preceding = [] }: MatchInput): MatchDecision {
  // Preceding invoices without a ticket are ignored: a second copy that waits for review does not make the ticket doubtful.
  const ids = new Set(preceding.flatMap(({ ticketId }) => ticketId ?? []));
  const candidate = candidates.find(({ ticket }) => ids.size === 1 && ids.has(ticket.id));
  const view = candidate && !candidate.excluded ? viewFor(candidate.ticket, supplier) : null;
  const isImpossible =
    ['removed', 'canceled'].includes(candidate?.ticket.status ?? '') || supplier.contractorIds.length === 0;
  const isCorrective = invoice.kind === 'corrective';
  if (!candidate || !view || isImpossible) return queued([isCorrective ? 'corrective' : 'credit_note']);
  const { id, number, title } = candidate.ticket;
  const numbers = [...new Set(preceding.map((one) => one.number))];
  const relation = isCorrective ? ('replaces' as const) : ('credits' as const);
  const reasons = [`${relation} invoice ${numbers.join(', ')}, which is on this ticket`];
  const values = { relation, references: numbers };
  const signals: Signal[] = [{ code: 'preceding_invoice', points: certain, values }];
  return {
    decision: 'auto',
    ticketId: id,
    viewId: view.id,
    contractorId: view.contractor_id,
    score: certain,
    margin: certain,
    suggestions: [{ ticketId: id, viewId: view.id, number, title, score: certain, reasons, signals }],
    flags: [
      ...supplier.flags.filter((flag) => flag !== 'supplier_ambiguous'),
      ...(isCorrective ? ['corrective' as const] : []),
    ],
    scoreVersion,
  };
}

function queued(flags: Flag[]): MatchDecision {
  const none = { ticketId: null, viewId: null, contractorId: null, score: null, margin: null, suggestions: [] };
  return { decision: 'queue', ...none, flags, scoreVersion };
}
