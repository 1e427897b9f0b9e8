import type { CanonicalInvoice, InvoiceFetched } from '@app/contracts';
import { newId } from '@app/kernel';
import { claimsWanted, twinKeys } from './identity.ts';
import { type Content, changed, type Decision, type Invoice, noKeys, unchanged } from './invoice.ts';
import { lineChanged } from './line.ts';
import { begin, mayMove, move } from './machine.ts';
import { isMaterial } from './material.ts';
import { type Asked, isLater } from './order.ts';

/** What connection fetched, read. */
export type Arrived = Pick<InvoiceFetched, 'client_id' | 'connection_id' | 'provider' | 'external_id' | 'resync'> & {
  content: Content;
};

/**
 * What an arrival means for an invoice that is known: `stale` (older than what is known, or told twice), `same`,
 * `restart` from received, `ask_again` (the provider, of a link that it could not be told of), or `compare`: other content of
 * one that has a ticket.
 */
export type Meaning = 'stale' | 'same' | 'restart' | 'ask_again' | 'compare';

export const goneStatus = 'deleted';
/** Provider statuses after which an invoice is no longer to be placed (row 22). */
const endedStatus = /^(refused|rejected|cancell?ed|deleted|210|213|220)$/i;

export function hasEnded(providerStatus: string | null): boolean {
  return endedStatus.test(providerStatus ?? '');
}

/** When the provider was asked for this content. */
export function askedFor({ fetched_at: at, sequence = null }: Content): Asked {
  return { at, sequence };
}

/** The files that are known, of which the provider says by now that they are still right. */
function seenAt({ content }: Invoice, { at: fetched_at, sequence }: Asked): Content {
  return { ...content, fetched_at, sequence };
}

/** An invoice that was not known: `received` (row 1). */
export function received(arrived: Arrived, at: Date): Decision {
  const { client_id, connection_id, provider, external_id, content } = arrived;
  const own = { _id: newId(at), client_id, connection_id, provider, external_id, content };
  return begin({ ...own, ...blank, state: 'received', version: 0, created_at: at, updated_at: at });
}

/** Spec: domain.md section 5, rows 1, 20 and 21. */
export function meaningOf(invoice: Invoice, { content, resync }: Arrived): Meaning {
  if (!isLater(askedFor(content), askedFor(invoice.content))) return 'stale';
  const same = isSame(invoice.content, content) && invoice.provider_status !== goneStatus;
  if (same && !resync) return 'same';
  if (invoice.ticket_id === null) return 'restart';
  if (!same) return 'compare';
  return invoice.state === 'error' ? 'ask_again' : 'same';
}

/** The same content came again, later: no change that anybody is told of, but what was fetched before then is old. */
export function seenAgain(invoice: Invoice, { content }: Arrived): Decision {
  const seen = { content: seenAt(invoice, askedFor(content)), version: invoice.version + 1 };
  return { invoice: { ...invoice, ...seen }, events: [] };
}

/**
 * Row 20. The files that are known stay where the content is the same: what came again is thrown away. What an operator has
 * passed over stays so, unless amount, supplier or IBAN are others by now.
 */
export function restart(invoice: Invoice, { arrived, canonical: read }: Compared, at: Date): Decision {
  const { content, connection_id } = arrived;
  const same = isSame(invoice.content, content);
  const kept = same ? seenAt(invoice, askedFor(content)) : content;
  const { acknowledged } = same || (read !== null && !isMaterial(invoice.canonical, read)) ? invoice : blank;
  const { supplier_id, supplier_ids, flags, reasons, suggestions, claims, canonical, provider_status, rematch_at } =
    blank;
  const found = { supplier_id, supplier_ids, flags, reasons, suggestions, canonical, provider_status };
  // A number or a document that it may not have any more is free for others.
  const derived = { ...found, claims, rematch_at };
  const set = { ...derived, content: kept, connection_id, acknowledged, failure: null };
  const reason = same ? 'asked for again' : 'the provider has other content';
  return move(invoice, { trigger: 'restart', at, reason, set });
}

/** The provider could not be told of the link; it stands, and is told anew (row 20). */
export function askAgain(invoice: Invoice, { content, connection_id }: Arrived, at: Date): Decision {
  const set = { content: seenAt(invoice, askedFor(content)), connection_id };
  return move(invoice, { trigger: 'ask_again', at, reason: 'asked for again', set });
}

/** What arrived, read; `canonical` null: it can't be. */
export type Compared = { arrived: Arrived; canonical: CanonicalInvoice | null };

/**
 * Row 21: the ticket stays, and changed amounts, supplier or IBAN need a person. Any other change is just kept, and shown
 * on the ticket's line.
 */
export function compare(invoice: Invoice, { arrived, canonical }: Compared, at: Date): Decision {
  const { content, connection_id } = arrived;
  if (canonical === null || isMaterial(invoice.canonical, canonical)) {
    const reason = canonical === null ? 'the new content cannot be read' : 'amount, supplier or IBAN changed';
    const reasons = [...new Set([...invoice.reasons, 'changed_after_link'])];
    const read = canonical && { canonical, provider_status: canonical.providerStatus };
    const kept = read && { ...read, ...foundBy(invoice, { ...read, content }) };
    return move(invoice, {
      trigger: 'change_after_link',
      at,
      reason,
      set: { content, connection_id, reasons, ...kept },
    });
  }
  const read = { content, canonical };
  const known = { ...read, ...foundBy(invoice, read), connection_id, provider_status: canonical.providerStatus };
  const others = invoice.flags.filter((flag) => flag !== 'provider_status');
  const flags = hasEnded(canonical.providerStatus) ? [...others, 'provider_status'] : others;
  const shown = canonical.number !== invoice.canonical?.number;
  const line_version = invoice.line_version + (shown ? 1 : 0);
  const { invoice: after } = changed(invoice, { ...known, flags, line_version }, at);
  return { invoice: after, events: shown ? [lineChanged(after, at)] : [] };
}

/**
 * The provider has it no more (row 3). Without ticket a person looks at it; with one, a flag says so. Content that was
 * fetched before then is old, however late it comes.
 */
export function gone(invoice: Invoice, asked: Asked, at: Date): Decision {
  const known = askedFor(invoice.content);
  if (isLater(known, asked)) return unchanged(invoice);
  const content = seenAt(invoice, asked);
  if (invoice.provider_status === goneStatus) {
    return isLater(asked, known) ? changed(invoice, { content }, at) : unchanged(invoice);
  }
  const set = { content, provider_status: goneStatus, flags: [...new Set([...invoice.flags, 'provider_status'])] };
  if (!mayMove(invoice, 'provider_status')) return changed(invoice, set, at);
  const reasons = [...new Set([...invoice.reasons, 'provider_status'])];
  const free = { claims: [], suggestions: [], rematch_at: null };
  return move(invoice, {
    trigger: 'provider_status',
    at,
    reason: 'the provider has this invoice no more',
    set: { ...set, ...free, reasons },
  });
}

/** The ticket was removed or canceled: somebody must say where the invoice belongs. */
export function ticketGone(invoice: Invoice, ticketId: string, at: Date): Decision {
  if (invoice.ticket_id !== ticketId || !mayMove(invoice, 'ticket_gone')) return unchanged(invoice);
  const reasons = [...new Set([...invoice.reasons, 'ticket_gone'])];
  return move(invoice, { trigger: 'ticket_gone', at, reason: 'its ticket was removed or canceled', set: { reasons } });
}

/** The retry of an error is due (row 23): its count goes on until a step succeeds. */
export function retry(invoice: Invoice, at: Date): Decision {
  const { failure } = invoice;
  return move(invoice, { trigger: 'retry', at, reason: `try ${(failure?.attempts ?? 0) + 1}`, set: { failure } });
}

function isSame(a: Content, b: Content): boolean {
  return a.raw.hash === b.raw.hash && (a.document?.hash ?? null) === (b.document?.hash ?? null);
}

type Read = { canonical: CanonicalInvoice; content: Content };

/**
 * What other invoices find it by is what it says now, and a number that it has no more is free for them. A new one it does
 * not claim: it has been placed, and whoever comes finds it by its keys.
 */
function foundBy({ keys, claims }: Invoice, read: Read): Pick<Invoice, 'keys' | 'claims'> {
  const wanted = claimsWanted(read);
  return {
    keys: { ...keys, twins: twinKeys(read.canonical, read.content.document?.hash ?? null) },
    claims: claims.filter((claim) => claim.startsWith('t:') || wanted.includes(claim)),
  };
}

const blank = {
  canonical: null,
  provider_status: null,
  supplier_id: null,
  supplier_ids: [],
  ticket_id: null,
  view_id: null,
  matched_by: null,
  line_version: 0,
  line_added_at: null,
  flags: [],
  reasons: [],
  acknowledged: [],
  suggestions: [],
  refused_tickets: [],
  link_version: 0,
  feedback: null,
  failure: null,
  confirmed_iban: null,
  confirmed_vat: null,
  keys: noKeys,
  claims: [],
  history: [],
  due_at: null,
  rematch_at: null,
} satisfies Partial<Invoice>;
