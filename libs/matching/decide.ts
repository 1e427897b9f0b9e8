import { lookAtAmount } from './amounts.ts';
import { inTimeFor, viewFor } from './candidates.ts';
import type { Candidate, Flag, MatchDecision, MatchInput, MatchSettings, SupplierMatch } from './matching.ts';
import { looksLikeReference, type Mention, mentionsOf } from './mentions.ts';
import { placesOf } from './places.ts';
import { decideByPreceding } from './preceding.ts';
import { type Hit, hitsOf } from './reference-index.ts';
import { bestFirst, liftedByAmount, type Scored, scoreOf, suggestionsOf } from './score.ts';
import { defaultSettings, scoreVersion } from './settings.ts';
import { gainOf, goodsReceipt, isExact, isSoonAfter, type Look, points, supplierAgrees } from './signals.ts';

const mostCandidates = 200;
const unfinished = (status: string) => status !== 'finished' && status !== 'closed';
/** With one of these a person looks at the invoice, however well it scores. */
const blocking: readonly Flag[] = [
  ...(['over_tolerance', 'currency_differs', 'credit_note', 'already_invoiced'] as const),
  ...(['several_tickets', 'other_reference', 'supplier_is_client'] as const),
];

/**
 * Which ticket an invoice belongs to, if that is certain; else what a person may choose from (spec: domain.md section
 * 6.2). The same facts give the same answer, whatever their order.
 */
export function decide(input: MatchInput): MatchDecision {
  const { invoice, supplier } = input;
  const settings = { ...defaultSettings, ...input.settings };
  const preceding = invoice.kind === 'invoice' ? null : decideByPreceding(input);
  if (preceding?.decision === 'auto') return preceding;
  const mentions = mentionsOf(invoice);
  const scored = scoreAll(input, { mentions, settings }).sort(bestFirst);
  const [best, second] = scored;
  const margin = best ? best.score - (second?.score ?? 0) : null;
  const flags = [
    ...new Set([...supplier.flags, ...(preceding?.flags ?? []), ...flagsOf(best, { mentions, scored, settings })]),
  ];
  const isAuto = best !== undefined && isCertain(best, { flags, margin: margin ?? 0, settings }) && preceding === null;
  return {
    decision: isAuto ? 'auto' : 'queue',
    ticketId: isAuto ? best.look.candidate.ticket.id : null,
    viewId: isAuto ? best.look.view.id : null,
    contractorId: isAuto ? best.look.view.contractor_id : null,
    score: best?.score ?? null,
    margin,
    suggestions: suggestionsOf(scored, settings),
    // The ticket decides between contractors of one SIREN.
    flags: isAuto ? flags.filter((flag) => flag !== 'supplier_ambiguous') : flags,
    scoreVersion,
  };
}

type Reading = { mentions: readonly Mention[]; settings: MatchSettings };

function scoreAll(
  { invoice, supplier, candidates, habits = [] }: MatchInput,
  { mentions, settings }: Reading,
): Scored[] {
  const isKnown = supplier.contractorIds.length > 0;
  const isInTime = inTimeFor(invoice);
  const isPossible = ({ ticket, excluded }: Candidate) =>
    !excluded && isInTime(ticket) && viewFor(ticket, supplier) !== null;
  const all = [...candidates].sort((one, other) => (one.ticket.id < other.ticket.id ? -1 : 1));
  // What names a ticket that the invoice can't be of, letter by letter, is no typing error for one that it can.
  const possible = all.map(isPossible);
  const hits = hitsOf(all, mentions, { supplierKnown: isKnown, habits, isPossible: (at) => possible[at] === true });
  const places = placesOf(invoice);
  const looks = all
    .map((candidate, at) => ({ candidate, hits: (hits[at] ?? []).sort(worthMoreFirst) }))
    .filter((_look, at) => possible[at])
    .filter(({ candidate, hits: own }) => isKnown || own.some(({ near }) => !near) || isLikely(candidate, supplier))
    .sort((one, other) => worthOf(other.hits) - worthOf(one.hits) || newestFirst(one.candidate, other.candidate))
    .slice(0, mostCandidates)
    .map(({ candidate, hits: own }): Look => {
      const named = new Set(own.flatMap(({ held, near }) => (held.order !== null && !near ? [held.order] : [])));
      const view = viewFor(candidate.ticket, supplier) as Look['view'];
      const amount = lookAtAmount(invoice, candidate, { named, settings });
      return {
        invoice,
        candidate,
        view,
        supplier,
        hits: own,
        amount: comparable(amount, invoice, settings),
        places,
        settings,
      };
    });
  const scored = looks.map(scoreOf);
  const equal = scored.filter(({ look }) => look.amount.level === 'equal');
  const only = equal.length === 1 ? (equal[0] as Scored) : undefined;
  const isOnlyOne = only && isLikelyByAmount(only.look, mentions) && !scored.some((other) => isRival(other, only));
  return isOnlyOne ? scored.map((one) => (one === only ? liftedByAmount(one) : one)) : scored;
}

/** Its contractor has the name or the VAT number of the supplier: worth a suggestion, whatever the invoice refers to. */
function isLikely({ ticket }: Candidate, supplier: SupplierMatch): boolean {
  return supplier.likelyIds?.includes(viewFor(ticket, supplier)?.contractor_id ?? '') ?? false;
}

/** Nothing is known of its amount, and all else speaks as much for it. */
function isRival({ look, score }: Scored, only: Scored): boolean {
  return look.amount.level === null && score >= only.score - points.amount.equal;
}

/** Without a reference: the contractor's only ticket with that amount, soon after its intervention. */
function isLikelyByAmount(look: Look, mentions: readonly Mention[]): boolean {
  return look.amount.level === 'equal' && supplierAgrees(look) && isSoonAfter(look) && !namesAnother(look, mentions);
}

/** The field for an order, or for a ticket, holds a reference, and this ticket has none like it. */
function namesAnother({ hits }: Look, mentions: readonly Mention[]): boolean {
  return mentions.some(
    (mention) => looksLikeReference(mention) && !hits.some((hit) => !hit.other && hit.mention === mention),
  );
}

function comparable(
  amount: Look['amount'],
  { kind, currency }: Look['invoice'],
  settings: MatchSettings,
): Look['amount'] {
  if (kind === 'invoice' && currency === settings.currency) return amount;
  return { ...amount, level: null, over: false };
}

function flagsOf(
  best: Scored | undefined,
  { mentions, scored, settings }: Reading & { scored: readonly Scored[] },
): Flag[] {
  if (!best || best.score < settings.suggestScore) return [];
  const { look } = best;
  const { candidate, amount, invoice, hits } = look;
  const others = scored.filter((one) => one !== best).flatMap((one) => one.look.hits.filter(isNumber));
  const hasOrder = candidate.purchases.some(({ kind, deleted }) => kind === 'purchase_order' && !deleted);
  const found: [Flag, boolean][] = [
    ['several_tickets', others.some((other) => !hits.some((hit) => isNumber(hit) && isSameText(hit, other)))],
    ['other_reference', !hits.some(isExact) && namesAnother(look, mentions)],
    ['currency_differs', invoice.currency !== settings.currency],
    ['over_tolerance', amount.over],
    ['already_invoiced', amount.covered],
    ['ticket_not_finished', unfinished(candidate.ticket.status)],
    ['no_goods_receipt', hasOrder && goodsReceipt(look) === null],
  ];
  return found.filter(([, holds]) => holds).map(([flag]) => flag);
}

function isCertain(
  { look, score, lifted }: Scored,
  { flags, margin, settings }: { flags: readonly Flag[]; margin: number; settings: MatchSettings },
): boolean {
  const isSure = look.hits.some(isExact) || lifted;
  const isFlagged = flags.some((flag) => blocking.includes(flag));
  return isSure && !isFlagged && supplierAgrees(look) && score >= settings.autoScore && margin >= settings.autoMargin;
}

/** It names a ticket, or one of its papers: contracts go for many. */
function isNumber({ near, held }: Hit): boolean {
  return !near && held.kind !== 'contract';
}

function isSameText(one: Hit, other: Hit): boolean {
  return one.mention === other.mention && one.written === other.written;
}

function worthOf([best]: readonly Hit[]): number {
  return best ? gainOf(best).points : 0;
}

function worthMoreFirst(one: Hit, other: Hit): number {
  return gainOf(other).points - gainOf(one).points;
}

function newestFirst(one: Candidate, other: Candidate): number {
  return one.ticket.updated_at < other.ticket.updated_at ? 1 : -1;
}
