// Cautious (docs/matching.md): no regular expressions per supplier, since nobody can say why one matched.
import { isWithinDates, viewFor } from './candidates.ts';
import {
  type Candidate,
  defaultSettings,
  type Flag,
  type MatchDecision,
  type MatchInput,
  type MatchSettings,
  type RankedTicket,
  type SupplierMatch,
  scoreVersion,
} from './matching.ts';
import { decideByPreceding } from './preceding.ts';
import { findLocation, findOtherPlace, invoicePlaces } from './references/location-mentions.ts';
import { findHits, type ReferenceHit } from './references/reference-index.ts';
import { looksLikeReference, type ReferenceMention, referenceMentions } from './references/reference-mentions.ts';
import { compareAmount } from './scoring/amounts.ts';
import { bestFirst, promoteByAmount, type Scored, scoreOf, suggestionsOf } from './scoring/score.ts';
import {
  type Evaluation,
  goodsReceipts,
  isExactHit,
  isSoonAfter,
  referencePoints,
  supplierAgrees,
  weights,
} from './scoring/signals.ts';

const maxEvaluated = 200;
const nobody: SupplierMatch = { contractorId: null, contractorIds: [], flags: [] };
const unfinished = (status: string) => status !== 'finished' && status !== 'closed';
/** Flags with which a person decides, however high the score. */
const blocking: readonly Flag[] = [
  'over_tolerance',
  'currency_differs',
  'credit_note',
  'already_invoiced',
  'several_tickets',
  'other_reference',
  'supplier_is_client',
  'mixed_vat',
  'other_place',
];

/**
 * Decides which ticket an invoice belongs to if that is certain, and otherwise what a person may choose from. The result
 * does not depend on the order of the candidates.
 */
export function decide(input: MatchInput): MatchDecision {
  const { invoice, supplier } = input;
  const settings = { ...defaultSettings, ...input.settings };
  const preceding = invoice.kind === 'invoice' ? null : decideByPreceding(input);
  if (preceding?.decision === 'auto') return preceding;
  const mentions = referenceMentions(invoice);
  const scored = scoreAll(input, mentions, settings).sort(bestFirst);
  const [best, second] = scored;
  const margin = best ? best.score - (second?.score ?? 0) : null;
  const flags = [
    ...new Set([...supplier.flags, ...(preceding?.flags ?? []), ...flagsOf(best, { mentions, scored, settings })]),
  ];
  const isAuto = best !== undefined && isCertain(best, { flags, margin: margin ?? 0, settings }) && preceding === null;
  return {
    decision: isAuto ? 'auto' : 'queue',
    ticketId: isAuto ? best.evaluation.candidate.ticket.id : null,
    viewId: isAuto ? best.evaluation.view.id : null,
    contractorId: isAuto ? best.evaluation.view.contractor_id : null,
    score: best?.score ?? null,
    margin,
    suggestions: suggestionsOf(scored, settings),
    // The ticket decides between contractors of one SIREN.
    flags: isAuto ? flags.filter((flag) => flag !== 'supplier_ambiguous') : flags,
    scoreVersion,
  };
}

/** The tickets that the invoice may belong to, however low their scores, best first. */
export function rankTickets(input: MatchInput): RankedTicket[] {
  const settings = { ...defaultSettings, ...input.settings };
  const scored = scoreAll(input, referenceMentions(input.invoice), settings).sort(bestFirst);
  return scored.map(({ evaluation: { candidate, view }, score, signals }) => {
    return { ticketId: candidate.ticket.id, viewId: view.id, score, signals };
  });
}

function scoreAll(input: MatchInput, mentions: readonly ReferenceMention[], settings: MatchSettings): Scored[] {
  const scored = evaluateAll(input, mentions, settings).map(scoreOf);
  const equal = scored.filter(({ evaluation }) => evaluation.amount.level === 'equal');
  const only = equal.length === 1 ? (equal[0] as Scored) : undefined;
  const isPromoted =
    only && isLikelyByAmount(only.evaluation, mentions) && !scored.some((other) => isRival(other, only));
  return isPromoted ? scored.map((one) => (one === only ? promoteByAmount(one) : one)) : scored;
}

function evaluateAll(input: MatchInput, mentions: readonly ReferenceMention[], settings: MatchSettings): Evaluation[] {
  const { invoice, supplier, candidates, patterns = [], namedLocations = [] } = input;
  const supplierKnown = supplier.contractorIds.length > 0;
  const isInTime = isWithinDates(invoice);
  const all = [...candidates].sort((one, other) => (one.ticket.id < other.ticket.id ? -1 : 1));
  const possible = all.map(
    ({ ticket, excluded, asked }) => asked || (!excluded && isInTime(ticket) && viewFor(ticket, supplier) !== null),
  );
  // All candidates take part: a text that names an impossible ticket exactly is no typing error for a possible one.
  const hits = findHits(all, mentions, { supplierKnown, patterns, isPossible: (at) => possible[at] === true });
  const places = invoicePlaces(invoice, namedLocations);
  return all
    .map((candidate, at) => ({ candidate, hits: (hits[at] ?? []).sort(bestHitFirst) }))
    .filter((_candidate, at) => possible[at])
    .filter(
      ({ candidate, hits: own }) =>
        supplierKnown || candidate.asked || own.some(({ fuzzy }) => !fuzzy) || isLikely(candidate, supplier),
    )
    .sort((one, other) => pointsOf(other.hits) - pointsOf(one.hits) || newestFirst(one.candidate, other.candidate))
    .slice(0, maxEvaluated)
    .map(({ candidate, hits: own }) => {
      const named = own.flatMap(({ reference, fuzzy }) => (fuzzy ? [] : reference));
      const view = (viewFor(candidate.ticket, supplier) ?? viewFor(candidate.ticket, nobody)) as Evaluation['view'];
      const amount = comparable(compareAmount(invoice, candidate, { named, settings }), invoice, settings);
      const placeOf = {
        place: findLocation(candidate.locations, places),
        otherPlace: findOtherPlace(candidate.locations, places),
      };
      return { invoice, candidate, view, supplier, hits: own, amount, ...placeOf, settings };
    });
}

/** The ticket's contractor has the name or the VAT number of the unknown supplier: worth a suggestion without any reference. */
function isLikely({ ticket }: Candidate, supplier: SupplierMatch): boolean {
  return supplier.likelyIds?.includes(viewFor(ticket, supplier)?.contractor_id ?? '') ?? false;
}

/** This ticket has no amount to compare, and would score as high as `only` does without the points for its amount. */
function isRival({ evaluation, score }: Scored, only: Scored): boolean {
  return evaluation.amount.level === null && score >= only.score - weights.amount.equal;
}

/** Certain without a reference: the amount is equal, the intervention was recent, and no other ticket is named. */
function isLikelyByAmount(evaluation: Evaluation, mentions: readonly ReferenceMention[]): boolean {
  return (
    evaluation.amount.level === 'equal' &&
    supplierAgrees(evaluation) &&
    isSoonAfter(evaluation) &&
    !namesAnother(evaluation, mentions)
  );
}

/** The invoice names an order or a ticket, and this ticket has no such reference. */
function namesAnother({ hits }: Evaluation, mentions: readonly ReferenceMention[]): boolean {
  return mentions.some(
    (mention) => looksLikeReference(mention) && !hits.some((hit) => !hit.digitDiffers && hit.mention === mention),
  );
}

function comparable(
  amount: Evaluation['amount'],
  { kind, currency }: Evaluation['invoice'],
  settings: MatchSettings,
): Evaluation['amount'] {
  if (kind === 'invoice' && currency === settings.currency) return amount;
  return { ...amount, level: null, over: false };
}

type FlagContext = { mentions: readonly ReferenceMention[]; scored: readonly Scored[]; settings: MatchSettings };

function flagsOf(best: Scored | undefined, { mentions, scored, settings }: FlagContext): Flag[] {
  if (!best || best.score < settings.suggestScore) return [];
  const { evaluation } = best;
  const { candidate, amount, invoice, hits } = evaluation;
  const others = scored.filter((one) => one !== best).flatMap((one) => one.evaluation.hits.filter(namesOneTicket));
  const hasOrder = candidate.purchases.some(({ kind, deleted }) => kind === 'purchase_order' && !deleted);
  const found: [Flag, boolean][] = [
    ['several_tickets', others.some((other) => !hits.some((hit) => namesOneTicket(hit) && isSameText(hit, other)))],
    ['other_reference', !hits.some(isExactHit) && namesAnother(evaluation, mentions)],
    ['currency_differs', invoice.currency !== settings.currency],
    ['over_tolerance', amount.over],
    ['mixed_vat', amount.mixed],
    ['other_place', evaluation.otherPlace !== null],
    ['already_invoiced', amount.covered],
    ['ticket_not_finished', unfinished(candidate.ticket.status)],
    ['no_goods_receipt', hasOrder && goodsReceipts(evaluation).length === 0],
  ];
  return found.filter(([, holds]) => holds).map(([flag]) => flag);
}

function isCertain(
  { evaluation, score, promotedByAmount }: Scored,
  { flags, margin, settings }: { flags: readonly Flag[]; margin: number; settings: MatchSettings },
): boolean {
  const isNamed = evaluation.hits.some(isExactHit) || promotedByAmount;
  const isBlocked = flags.some((flag) => blocking.includes(flag));
  return (
    isNamed && !isBlocked && supplierAgrees(evaluation) && score >= settings.autoScore && margin >= settings.autoMargin
  );
}

/** Contracts cover many tickets; all other references belong to one. */
function namesOneTicket({ fuzzy, reference }: ReferenceHit): boolean {
  return !fuzzy && reference.kind !== 'contract';
}

function isSameText(one: ReferenceHit, other: ReferenceHit): boolean {
  return one.mention === other.mention && one.written === other.written;
}

function pointsOf([best]: readonly ReferenceHit[]): number {
  return best ? referencePoints(best).points : 0;
}

function bestHitFirst(one: ReferenceHit, other: ReferenceHit): number {
  return referencePoints(other).points - referencePoints(one).points;
}

function newestFirst(one: Candidate, other: Candidate): number {
  return one.ticket.updated_at < other.ticket.updated_at ? 1 : -1;
}
