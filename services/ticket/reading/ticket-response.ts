import type { UserSnapshot } from '@app/contracts';
import { clockNames, isFinished } from '../clocks/clocks.ts';
import { type ClockSettings, hoursFor } from '../clocks/policies.ts';
import { type UserResponse, userResponse } from '../companies/user-response.ts';
import type { Contractor } from '../contractors/contractor.ts';
import { invoiceLineResponse, type LineOnTicket } from '../invoices/invoice-line.ts';
import { type Purchase, purchaseResponse } from '../purchases/purchase.ts';
import { fieldViews, pick, type Resolved } from '../referentials/referential-response.ts';
import { clocksSeen } from '../tickets/lifecycle/ticket-clocks.ts';
import {
  type DateCategory,
  isLive,
  type Quote,
  type Report,
  statusOf,
  type Ticket,
  type TicketDate,
  typologies,
  typologyNames,
  type View,
  viewOfCompany,
} from '../tickets/ticket.ts';
import { isCompetitor, isReportVisible, type Viewer, visibleDates, visibleQuotes } from '../tickets/visibility.ts';

/** Everything that the tickets of a page refer to. */
export type Related = {
  contractors: Map<string, Contractor>;
  users: Map<string, UserSnapshot>;
  referentials: Resolved;
  /** By ticket id, as far as this company sees them. */
  purchases: Map<string, Purchase[]>;
  invoices: Map<string, LineOnTicket[]>;
  /** By client id. */
  clockSettings: Map<string, ClockSettings>;
};

type Presentation = {
  viewer: Viewer;
  related: Related;
  /** The public address of this API, for `self`. */
  baseUrl: string;
  /** That of the console, for `url`; null: there is none. */
  consoleUrl: string | null;
  /** Signs the download link of a file; given only for the read of a single ticket. */
  link?: (file: NonNullable<Quote['file']>) => string;
  now: Date;
};

/**
 * A ticket as this company may see it, with both `_id` and `id`, and with every field: `null` or `[]` if it has no value.
 * Among contractors, views and quotes, a contractor sees only its own.
 */
export function ticketResponse(ticket: Ticket, presentation: Presentation): Record<string, unknown> {
  const { viewer, related, baseUrl, consoleUrl } = presentation;
  const self = addressOf(ticket._id, { baseUrl });
  const own = viewOfCompany(ticket, viewer.companyId) as View;
  const views = own.role === 'client' ? ticket.views : [own];
  const contractor = own.role === 'client' ? undefined : related.contractors.get(own.contractor_id ?? '');
  return {
    ...plainFields(ticket),
    ...startsOf(visibleDates(ticket, own)),
    ...deadlinesOf(ticket, own, presentation),
    status: own.status,
    created_by: isCompetitor(ticket.created_by.company_id, ticket, own) ? null : ticket.created_by,
    // A person opens it, where there are pages to open.
    url: consoleUrl === null ? self : `${consoleUrl}/tickets/${ticket._id}`,
    self,
    client: { _id: ticket.client_id, name: ticket.client_name },
    contractors: views
      .filter((view) => view.role === 'contractor' && isLive(view))
      .map((view) => contractorResponse(view, related)),
    ...resolvedFields(ticket, related),
    quotes: visibleQuotes(ticket.quotes, own).map((quote) => quoteResponse(quote, presentation)),
    invoices: (related.invoices.get(ticket._id) ?? []).map((line) => invoiceLineResponse(line, contractor)),
    purchases: (related.purchases.get(ticket._id) ?? []).map((purchase) =>
      purchaseResponse(purchase, { companyId: viewer.companyId, status: own.status }),
    ),
    reports: ticket.reports.filter((report) => isReportVisible(report, ticket, own)).map(reportResponse),
    views: views.map((view) => viewOfReply(view, presentation)),
  };
}

/** The address of a ticket in this API. */
export function addressOf(ticketId: string, { baseUrl }: { baseUrl: string }): string {
  return `${baseUrl}/api/v3.0/tickets/${ticketId}`;
}

function plainFields(ticket: Ticket): Record<string, unknown> {
  const { _id, number, title, description, priority, typology_id, price_threshold, reserve, from_public_interface } =
    ticket;
  const maintenance = typology_id === typologies.maintenance;
  return {
    _id,
    id: _id,
    number,
    title,
    description,
    priority_label: priority,
    price_threshold,
    from_public_interface,
    reserve,
    typology: { _id: typology_id, name: typologyNames[typology_id] ?? null },
    created_at: ticket.created_at,
    updated_at: ticket.updated_at,
    assigned_at: ticket.assigned_at,
    closed_at: ticket.closed_at,
    validated_by: ticket.validated_by,
    // Only on maintenance tickets.
    ...(maintenance
      ? { maintenance: ticket.maintenance, start_date: ticket.start_date, end_date: ticket.end_date }
      : {}),
  };
}

function deadlinesOf(ticket: Ticket, own: View, { related, now, link }: Presentation): Record<string, unknown> {
  const rules = ticket.clock?.rules;
  const settings = related.clockSettings.get(ticket.client_id);
  const hours = hoursFor(settings?.hours ?? [], { places: [[rules?.place ?? '']] });
  const seen = clocksSeen(ticket, own, hours, now);
  const named = clockNames.map((name) => {
    const clock = seen?.[name];
    return [name, clock ? { ...clock, target: rules?.targets[name] } : null] as const;
  });
  const { location_id: _, ...shown } = hours ?? { location_id: null };
  return {
    ...Object.fromEntries(named.map(([name, clock]) => [`${name}_due_at`, clock?.due_at ?? null])),
    clocks: seen && {
      ...Object.fromEntries(named),
      ...(link && !isFinished(statusOf(ticket)) ? { hours: shown } : {}),
    },
  };
}

function startsOf(dates: TicketDate[]): Record<string, Date[]> {
  const starts = (of: DateCategory, wanted: (date: TicketDate) => boolean) =>
    dates.filter((date) => date.category === of && wanted(date)).map(({ start }) => start);
  // A date that took place was scheduled too; a canceled or missed one no longer is.
  const wasScheduled = ({ type, state }: TicketDate) => type === 'planned' && (state === 'planned' || state === 'done');
  const hasOccurred = ({ type }: TicketDate) => type === 'actual';
  return {
    intervention_scheduled_at: starts('intervention', wasScheduled),
    intervention_occured_at: starts('intervention', hasOccurred),
    visit_scheduled_at: starts('visit', wasScheduled),
    visit_occured_at: starts('visit', hasOccurred),
  };
}

function resolvedFields(ticket: Ticket, { referentials, users }: Related): Record<string, unknown> {
  const domains = pick(referentials.domains, ticket.domain_ids);
  const people = (ids: string[]): UserResponse[] =>
    ids.flatMap((id) => (users.has(id) ? [userResponse(users.get(id) as UserSnapshot)] : []));
  return {
    locations: pick(referentials.locations, ticket.location_ids),
    equipments: pick(referentials.equipments, ticket.equipment_ids),
    jobs: pick(referentials.jobs, ticket.job_ids),
    domains,
    // The specification has both names.
    domain: domains,
    managers: people(ticket.manager_ids),
    contacts: people(ticket.contact_ids),
    fields: fieldViews(ticket.fields, referentials.fields),
  };
}

function viewOfReply(view: View, { related }: Presentation) {
  const { _id, company_id, role, status, state, contractor_id, expires_at, reason } = view;
  const name = role === 'contractor' ? (related.contractors.get(contractor_id ?? '')?.name ?? null) : null;
  return { _id, company_id, role, status, state, contractor_id, name, expires_at, reason };
}

function contractorResponse({ contractor_id }: View, { contractors }: Related) {
  const contractor = contractors.get(contractor_id ?? '');
  return { _id: contractor_id, name: contractor?.name ?? null, type: contractor?.type ?? null };
}

/** A quote in a reply; with `download_url` if `link` is given. */
export function quoteResponse(quote: Quote, { link }: Pick<Presentation, 'link'>) {
  const { _id, reference, price, includes_vat, status, validated, validated_at } = quote;
  const { contractor_id, added_at, file } = quote;
  return {
    _id,
    reference,
    price,
    includes_vat,
    status,
    validated,
    validated_at,
    contractor_id,
    added_at,
    s3_key: file?.key ?? null,
    ...(link ? { download_url: file ? link(file) : null } : {}),
  };
}

export function reportResponse({ _id, added_at, contractor_id, file }: Report) {
  return {
    _id,
    name: file.name,
    mimetype: file.type,
    size: file.size,
    hash: file.hash,
    contractor_id,
    added_at,
    s3_key: file.key,
  };
}
