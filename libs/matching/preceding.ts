import { viewFor } from './candidates.ts';
import type { Flag, MatchDecision, MatchInput } from './matching.ts';
import { scoreVersion } from './settings.ts';

const certain = 100;

/**
 * A credit note, or a corrective invoice, goes to the ticket of the invoice that it names, and never by its amount.
 * `queue` without suggestions: that invoice is not known, has no ticket, or there are two (spec: domain.md section 5).
 */
export function decideByPreceding({ invoice, supplier, candidates, preceding = [] }: MatchInput): MatchDecision {
  // One that waits elsewhere, as a second copy of the same does, says nothing against the ticket of the first.
  const ids = new Set(preceding.flatMap(({ ticketId }) => ticketId ?? []));
  const candidate = candidates.find(({ ticket }) => ids.size === 1 && ids.has(ticket.id));
  const view = candidate && !candidate.excluded ? viewFor(candidate.ticket, supplier) : null;
  const isGone =
    ['removed', 'canceled'].includes(candidate?.ticket.status ?? '') || supplier.contractorIds.length === 0;
  const isCorrective = invoice.kind === 'corrective';
  if (!candidate || !view || isGone) return queued([isCorrective ? 'corrective' : 'credit_note']);
  const { id, number, title } = candidate.ticket;
  const replaced = [...new Set(preceding.map((one) => one.number))].join(', ');
  const reasons = [`${isCorrective ? 'replaces' : 'credits'} invoice ${replaced}, which is on this ticket`];
  return {
    decision: 'auto',
    ticketId: id,
    viewId: view.id,
    contractorId: view.contractor_id,
    score: certain,
    margin: certain,
    suggestions: [{ ticketId: id, viewId: view.id, number, title, score: certain, reasons }],
    flags: [
      ...supplier.flags.filter((flag) => flag !== 'supplier_ambiguous'),
      ...(isCorrective ? ['corrective' as const] : []),
    ],
    scoreVersion,
  };
}

function queued(flags: Flag[]): MatchDecision {
  const nothing = { ticketId: null, viewId: null, contractorId: null, score: null, margin: null, suggestions: [] };
  return { decision: 'queue', ...nothing, flags, scoreVersion };
}
