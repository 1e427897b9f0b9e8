import { newId } from '@app/kernel';
import { assignView, type Candidate, finishDecision, withStatus, withViewFor } from '../tickets/lifecycle/decision.ts';
import { type Priority, type Ticket, typologies, type UserRef, type View } from '../tickets/ticket.ts';

/** The validated body of a creation. */
export type NewTicket = {
  title: string;
  client_id?: string;
  description?: string | null;
  priority?: Priority;
  location_ids?: string[];
  equipment_ids?: string[];
  job_ids?: string[];
  domain_ids?: string[];
  manager_ids?: string[];
  contact_ids?: string[];
  price_threshold?: number | null;
  typology_id?: string;
  maintenance?: string | null;
  start_date?: Date | null;
  end_date?: Date | null;
  fields?: { field_id: string; value: string }[];
  from_public_interface?: boolean;
  draft?: boolean;
};

type Creation = {
  input: NewTicket;
  number: string;
  client: { _id: string; name: string };
  by: UserRef;
  /** Set if a contractor creates the ticket, which is then assigned to it from the start. */
  contractor?: Candidate;
};

/** A new ticket. Creation has no status event. */
export function createTicket({ input, number, client, by, contractor }: Creation, now: Date): Ticket {
  const opened = blank({ input, number, client, by }, now);
  if (!contractor) return opened;
  const seen = withViewFor(withStatus(opened, 'assigned'), contractor, {
    state: 'pending',
    status: 'assigned',
    expires_at: null,
  });
  const assigned = assignView(seen, (seen.views[1] as View)._id, now);
  return finishDecision(opened, assigned, now).ticket;
}

function blank({ input, number, client, by }: Omit<Creation, 'contractor'>, now: Date): Ticket {
  const view: View = {
    _id: newId(now),
    company_id: client._id,
    role: 'client',
    contractor_id: null,
    state: 'client',
    status: input.draft ? 'draft' : 'opened',
    reason: null,
    expires_at: null,
  };
  return {
    _id: newId(now),
    version: 1,
    number,
    client_id: client._id,
    client_name: client.name,
    created_by: by,
    validated_by: null,
    title: input.title,
    description: input.description ?? null,
    priority: input.priority ?? 'none',
    typology_id: input.typology_id ?? typologies.curatif,
    price_threshold: input.price_threshold ?? null,
    ...lists(input),
    fields: input.fields ?? [],
    maintenance: input.maintenance ?? null,
    start_date: input.start_date ?? null,
    end_date: input.end_date ?? null,
    from_public_interface: input.from_public_interface ?? false,
    reserve: null,
    created_at: now,
    updated_at: now,
    assigned_at: null,
    closed_at: null,
    views: [view],
    dates: [],
    quotes: [],
    reports: [],
    note_count: 0,
    due_at: null,
  };
}

function lists(input: NewTicket) {
  return {
    location_ids: input.location_ids ?? [],
    equipment_ids: input.equipment_ids ?? [],
    job_ids: input.job_ids ?? [],
    domain_ids: input.domain_ids ?? [],
    manager_ids: input.manager_ids ?? [],
    contact_ids: input.contact_ids ?? [],
  };
}
