import {
  type AuditAction,
  type AuditSource,
  auditChanges,
  audited,
  type InvoiceStatus,
  type StatusDetails,
} from '@app/contracts';
import type { Precondition } from '@app/http';
import { AppError } from '@app/kernel';
import { observedPatterns } from '@app/matching';
import type { Logger } from '@app/runtime';
import type { ProtectedWrite } from '@app/runtime/idempotency';
import { requestStatus } from '../feedback/feedback.ts';
import { assertReachable, type FindAddress } from '../feedback/supplier-address.ts';
import type { PayloadProvider } from '../intake/pipeline.ts';
import type { Actor, Concluded, Decision, Invoice } from '../invoices/invoice.ts';
import { lineOf } from '../invoices/invoice-line.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import type { Matcher } from '../matching/matcher.ts';
import type { ReferencePatternStore } from '../matching/supplier-reference-pattern-store.ts';
import { supplierOf } from '../matching/supplier-rules.ts';
import { assertLinkable, clearReview, link, undoLink, unlink } from '../matching/ticket-link.ts';
import { withSuggestions } from '../matching/ticket-rules.ts';
import type { TicketProjection } from '../projections/ticket-projection.ts';
import type { TicketProjectionStore } from '../projections/ticket-projection-store.ts';
import { conclude, reopen } from './conclude.ts';
import type { TicketClient } from './ticket-client.ts';

type Deps = {
  store: Pick<InvoiceStore, 'change' | 'find'>;
  /** What the provider of an invoice can be told. */
  capabilitiesOf: (provider: string) => PayloadProvider['capabilities'];
  matcher: Pick<Matcher, 'targetOn' | 'findTicket'>;
  patterns: Pick<ReferencePatternStore, 'learn' | 'forget'>;
  tickets: Pick<TicketProjectionStore, 'find' | 'upsert' | 'idsAt'>;
  client: TicketClient;
  findAddress: FindAddress;
  rematchDelayMs: number;
  logger: Logger;
  now: () => Date;
};
type View = { ticketId: string; viewId: string };
type Changed = Pick<Invoice, 'client_id' | '_id'> & Saving & { original?: string | undefined };
/** `reason`: why it is linked all the same. */
type Wanted = View & { reason?: string };

/** Of a request: the version that the person saw, and its protected write. */
type Saving = { precondition: Precondition | null; write: ProtectedWrite | null };
/** The places to which the acting person is limited; undefined: every place. */
type Limit = { placeIds: readonly string[] | undefined };
/** The acting person, the internal token of their request, and their source for the audit log. */
export type Operator = Saving & Limit & { by: Actor; token: string; source: AuditSource };
type Told = { status: InvoiceStatus; details: StatusDetails };

/** The actions of operators on invoices. */
export class OperatorActions {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * @throws AppError not_found `ticket_not_found`, `view_not_found`, conflict `invoice_state_forbidden`; unavailable
   * `service_unavailable`, timeout `service_timeout`, also if the invoice is linked but the ticket service does not know yet;
   * precondition_failed if the person saw another version
   */
  async link({ client_id, _id }: Invoice, { ticketId, viewId, reason }: Wanted, operator: Operator): Promise<Invoice> {
    const { matcher, logger, now } = this.#deps;
    const { by, token, source, precondition, write } = operator;
    const projection = await this.#ticketWith(client_id, { ticketId, viewId }, operator);
    if (!projection || projection.ticket.status === 'removed') {
      throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
    }
    if (!hasView(projection, viewId)) throw new AppError('not_found', 'view_not_found', 'this ticket has no such view');
    const { before, after } = await this.#change({ client_id, _id, precondition, write }, async (invoice) => {
      assertLinkable(invoice);
      const at = now();
      const linked = link(invoice, await matcher.targetOn(invoice, projection, viewId), { at, by, reason });
      return withAudit(invoice, linked, { action: 'invoice.linked', source, at, reason });
    });
    if (after !== before) await this.#learn(after, projection);
    logger.info('invoice linked', { invoiceId: _id, ticketId, viewId });
    await this.#pushLine(after, token);
    return after;
  }

  /**
   * @param rule `refuse`: matching never links the invoice to that ticket again; `undo`: takes back
   * a link (`undoLink`)
   * @throws AppError conflict `invoice_state_forbidden`; unavailable, timeout and
   * precondition_failed as `link`
   */
  async unlink({ client_id, _id }: Invoice, rule: 'refuse' | 'undo', operator: Operator): Promise<Invoice> {
    const { logger, now } = this.#deps;
    const { by, token, source, precondition, write } = operator;
    const decide = rule === 'undo' ? undoLink : unlink;
    const { before, after } = await this.#change({ client_id, _id, precondition, write }, async (invoice) => {
      const at = now();
      const unlinked = await this.#suggesting(invoice, decide(invoice, this.#rematchAt(), { at, by }));
      return withAudit(invoice, unlinked, { action: 'invoice.unlinked', source, at });
    });
    await this.#learn(after, null);
    logger.info('invoice unlinked', { invoiceId: _id, ticketId: before.ticket_id, rule });
    await this.#pushLine(after, token);
    return after;
  }

  /** @throws AppError conflict `invoice_state_forbidden`; precondition_failed as `link` */
  async clearReview({ client_id, _id }: Invoice, { by, precondition, write }: Operator): Promise<Invoice> {
    const { logger, now } = this.#deps;
    const decide = (invoice: Invoice) => clearReview(invoice, this.#rematchAt(), { at: now(), by });
    const { after } = await this.#change({ client_id, _id, precondition, write }, decide);
    logger.info('review of an invoice cleared', { invoiceId: _id });
    return after;
  }

  /**
   * @throws AppError unprocessable `invalid_duplicate`, conflict `invoice_state_forbidden`, `invoice_status_forbidden`;
   * ValidationError for a reason that the provider has no word for; precondition_failed as `link`
   */
  async conclude(seen: Invoice, concluded: Concluded, operator: Operator): Promise<Invoice> {
    const { logger, now, capabilitiesOf, findAddress } = this.#deps;
    const { client_id, _id } = seen;
    const { by, token, source, precondition, write } = operator;
    const isUnheard = concluded.outcome === 'refused' && (await findAddress(seen, token)).isMissing;
    const original = concluded.outcome === 'duplicate_of' ? concluded.invoice_id : undefined;
    const decide = async (invoice: Invoice) => {
      if (original !== undefined) await this.#assertOriginal(invoice, original, operator);
      const at = now();
      const heard = isUnheard ? {} : capabilitiesOf(invoice.provider).statuses;
      const done = conclude(invoice, concluded, { at, by, heard });
      return withAudit(invoice, done, { action: 'invoice.concluded', source, at });
    };
    const { after } = await this.#change({ client_id, _id, precondition, write, original }, decide);
    logger.info('invoice concluded', { invoiceId: _id, outcome: concluded.outcome });
    return after;
  }

  /**
   * Tells the supplier where the invoice stands; a refusal also concludes it.
   * @throws AppError conflict `invoice_status_forbidden`, for a refusal also `invoice_state_forbidden`; ValidationError; precondition_failed
   * as `link`
   */
  async tell(seen: Invoice, { status, details }: Told, operator: Operator): Promise<Invoice> {
    const { logger, now, capabilitiesOf, findAddress } = this.#deps;
    const { client_id, _id } = seen;
    const { by, token, source, precondition, write } = operator;
    const { reason: code, note: reason } = details;
    const found = await findAddress(seen, token);
    const { after } = await this.#change({ client_id, _id, precondition, write }, (invoice) => {
      const { statuses: heard } = capabilitiesOf(invoice.provider);
      const at = now();
      const asked = { status, details };
      const told =
        status === 'refused' && code !== null && reason !== null
          ? conclude(invoice, { outcome: 'refused', code, reason }, { at, by, heard, mustTell: true })
          : requestStatus(invoice, asked, { heard, by: by.id, at });
      assertReachable(invoice, told, { status, heard, found });
      return withAudit(invoice, told, { action: 'invoice.status_told', source, at, told: asked });
    });
    logger.info('supplier told of an invoice', { invoiceId: _id, status });
    return after;
  }

  /** @throws AppError conflict `invoice_state_forbidden`, `invoice_status_forbidden`; precondition_failed as `link` */
  async reopen({ client_id, _id }: Invoice, { by, source, precondition, write }: Operator): Promise<Invoice> {
    const { logger, now, capabilitiesOf } = this.#deps;
    const { after } = await this.#change({ client_id, _id, precondition, write }, (invoice) => {
      const at = now();
      const isReversible = capabilitiesOf(invoice.provider).reversal;
      const reopened = reopen(invoice, this.#rematchAt(), { at, by, isReversible });
      return withAudit(invoice, reopened, { action: 'invoice.reopened', source, at });
    });
    logger.info('invoice reopened', { invoiceId: _id });
    return after;
  }

  /** What it duplicates must be in the books itself: no chain of duplicates ends in a ring. */
  async #assertOriginal({ client_id, _id }: Invoice, original: string, { placeIds }: Limit): Promise<void> {
    const { store, tickets } = this.#deps;
    const found = original === _id ? null : await store.find(client_id, original);
    const ticketId = found?.ticket_id ?? null;
    const isSeen = !placeIds || ticketId === null || (await tickets.idsAt(client_id, [ticketId], placeIds)).size > 0;
    if (found && isSeen && found.conclusion?.outcome !== 'duplicate_of') return;
    throw new AppError(
      'unprocessable',
      'invalid_duplicate',
      'an invoice can only duplicate another one of your company that is no duplicate itself',
    );
  }

  /** After an automatic match there are no suggestions: adds them, to be saved in the same write. */
  async #suggesting(before: Invoice, taken: Decision): Promise<Decision> {
    const { invoice } = taken;
    const isBare = invoice.state === 'ticket_unmatched' && invoice.suggestions.length === 0;
    if (invoice === before || !isBare || invoice.canonical === null) return taken;
    const { matcher, now } = this.#deps;
    return withSuggestions(taken, await matcher.findTicket(invoice, supplierOf(invoice)), now());
  }

  /** A wrong version is reported before any other error. A repetition that changes nothing succeeds, whatever its version. */
  async #change(
    { client_id, _id, precondition, write, original }: Changed,
    decide: (invoice: Invoice) => Decision | Promise<Decision>,
  ): Promise<{ before: Invoice; after: Invoice }> {
    let before: Invoice | undefined;
    const after = await this.#deps.store.change(
      client_id,
      _id,
      async (invoice) => {
        before = invoice;
        try {
          const decision = await decide(invoice);
          if (decision.invoice !== invoice) precondition?.(invoice.version);
          return decision;
        } catch (error) {
          precondition?.(invoice.version);
          throw error;
        }
      },
      { write, original },
    );
    return { before: before ?? after, after };
  }

  /**
   * The projection; if it lacks the ticket or the view, or has the ticket elsewhere than where the person is limited to, what
   * the ticket service says, stored at once.
   */
  async #ticketWith(clientId: string, { ticketId, viewId }: View, { token, placeIds }: Operator) {
    const { tickets, client } = this.#deps;
    const known = await tickets.find(clientId, ticketId);
    const isSeen = !placeIds || known?.ticket.location_ids.some((id) => placeIds.includes(id));
    if (known && isSeen && hasView(known, viewId)) return known;
    const snapshot = await client.snapshot(ticketId, token);
    if (snapshot?.client_id !== clientId) return null;
    await tickets.upsert(snapshot);
    return tickets.find(clientId, ticketId);
  }

  /**
   * Pushes the line before the response, so that the next read of the ticket shows it; also if nothing changed, because an
   * earlier push may have failed. For an unlinked invoice it goes to its last ticket.
   */
  async #pushLine(after: Invoice, token: string): Promise<void> {
    const ticketId = after.ticket_id ?? after.former_tickets?.at(-1) ?? after.refused_tickets.at(-1);
    if (after.line_version > 0 && ticketId) await this.#deps.client.putLine(ticketId, lineOf(after), token);
  }

  /** Learns how the supplier writes references; `projection` null: forgets it. Failures are only logged: the link stands. */
  async #learn(invoice: Invoice, projection: TicketProjection | null): Promise<void> {
    const { _id: invoiceId, client_id: clientId, supplier_id: contractorId, canonical } = invoice;
    const { patterns, logger } = this.#deps;
    try {
      if (projection === null || canonical === null || contractorId === null) {
        await patterns.forget(clientId, invoiceId);
      } else {
        await patterns.learn({ clientId, contractorId, invoiceId }, observedPatterns(canonical, projection));
      }
    } catch (error) {
      logger.warn('reference patterns of a supplier not updated after a link', { invoiceId, error });
    }
  }

  #rematchAt(): Date {
    return new Date(this.#deps.now().getTime() + this.#deps.rematchDelayMs);
  }
}

function hasView({ ticket }: TicketProjection, viewId: string): boolean {
  return ticket.views.some(({ id }) => id === viewId);
}

type AuditedLink = {
  action: Extract<AuditAction, `invoice.${string}`>;
  source: AuditSource;
  at: Date;
  reason?: string | undefined;
  told?: Told;
};

const auditedFields = ['ticket_id', 'view_id', 'outcome', 'reason', 'code', 'invoice_id'];

/** Adds the audit event to a person's decision, unless the decision changes nothing. */
function withAudit(before: Invoice, decision: Decision, { action, source, at, reason, told }: AuditedLink): Decision {
  const { invoice, events } = decision;
  if (invoice === before) return decision;
  const target = { kind: 'invoice', id: invoice._id, name: invoice.canonical?.number ?? null };
  const why = reason === undefined ? [] : [{ field: 'reason', before: null, after: reason }];
  const changes = [
    ...auditChanges(shownOf(before), shownOf(invoice), { names: auditedFields, shown: auditedFields }),
    ...why,
    ...(told ? toldChanges(told) : []),
  ];
  return {
    invoice,
    events: [...events, audited({ companyId: invoice.client_id, action, ...source, target, changes }, at)],
  };
}

function toldChanges({ status, details }: Told) {
  const given = Object.entries(details).filter(([, value]) => value !== null);
  return [['status', status] as const, ...given].map(([field, value]) => ({
    field,
    before: null,
    after: String(value),
  }));
}

/** Where the invoice is, and what a person concluded instead. */
function shownOf({ ticket_id, view_id, conclusion }: Invoice): Record<string, unknown> {
  return { ticket_id, view_id, ...conclusion };
}
