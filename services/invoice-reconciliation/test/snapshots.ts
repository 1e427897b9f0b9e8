import { type ContractorSnapshot, type PurchaseSnapshot, purchaseChanged, type TicketSnapshot } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventFixture } from '@app/testing';

const siren = '732829320';

export function aContractor(clientId: string, given: Partial<ContractorSnapshot> = {}): ContractorSnapshot {
  const own = { id: newId(), version: 1, client_id: clientId, name: 'Froid Service', company_id: newId() };
  return { ...own, siret: `${siren}00074`, siren, ...given };
}

let tickets = 0;

/** A ticket of the client with its contractor at work, finished a few days ago. */
export function aTicket(contractor: ContractorSnapshot, given: Partial<TicketSnapshot> = {}): TicketSnapshot {
  tickets += 1;
  const { client_id, id: contractor_id, company_id } = contractor;
  return {
    id: newId(),
    version: 1,
    number: `T-9${String(tickets).padStart(5, '0')}`,
    title: 'Chambre froide',
    client_id,
    status: 'finished',
    typology_id: '5ebb096fe1bde10a7ee21348',
    maintenance: null,
    location_ids: [],
    created_at: '2026-10-01T08:00:00.000Z',
    updated_at: '2026-11-10T08:00:00.000Z',
    last_intervention_at: '2026-11-09T08:00:00.000Z',
    views: [
      { id: newId(), role: 'client', company_id: client_id, contractor_id: null, state: 'client', status: 'finished' },
      { id: newId(), role: 'contractor', company_id, contractor_id, state: 'active', status: 'finished' },
    ],
    quotes: [],
    ...given,
  };
}

export function viewOf({ views }: TicketSnapshot, role: 'client' | 'contractor' = 'contractor'): string {
  return views.find((view) => view.role === role)?.id ?? '';
}

/** A purchase order of the ticket's client. */
export function anOrder(ticket: TicketSnapshot, given: Partial<PurchaseSnapshot> = {}): PurchaseSnapshot {
  const date = '2026-10-02T08:00:00.000Z';
  return {
    ...eventFixture(purchaseChanged).data.purchase,
    id: newId(),
    ticket_id: ticket.id,
    version: 1,
    reference: `BC-${newId().slice(-8)}`,
    date,
    amount: 100,
    buyer_company_id: ticket.client_id,
    supplier_company_id: ticket.views[1]?.company_id ?? null,
    quote_id: null,
    document_id: null,
    s3_key: null,
    ...given,
  };
}

/** An invoice as the sandbox provider gives it; of 100 without VAT unless it says otherwise. */
export function aPayload(given: object = {}): object {
  return {
    id: 'x',
    kind: 'invoice',
    number: `FA-${newId()}`,
    issue_date: '2026-11-12',
    due_date: null,
    currency: 'EUR',
    supplier: { name: 'Froid Service', siren, siret: `${siren}00074` },
    buyer: null,
    amounts: { ht: '100.00', tva: '20.00', ttc: '120.00' },
    vat_breakdown: [{ rate: '0.2', base: '100.00', amount: '20.00' }],
    lines: [],
    references: {},
    notes: [],
    status: 'received',
    ...given,
  };
}
