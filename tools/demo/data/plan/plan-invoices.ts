import type { Invoice, Seller } from '../../invoices/invoice.ts';
import { locations } from '../companies/demo-content.ts';
import { type Site, sellerOf, withNet } from './invoice.ts';
import { buyer, type Contractor, contractors, moreLocations, otherIban, stranger } from './people.ts';
import type { PlannedTicket, Size } from './week-plan.ts';

/** Why an invoice is held back for a person (docs/invoices.md). */
export const reasonsOfWeek = [
  'duplicate_suspected',
  'amounts_inconsistent',
  'iban_changed',
  'provider_status',
  'changed_after_link',
  'supplier_is_client',
  'ticket_gone',
] as const;

/**
 * What becomes of an invoice. `matched`: by itself; `linked`: by the accountant; `queue`: it waits
 * for a ticket; `unreadable`: it lacks a mandatory field; `unheard`, `refused`: the provider does
 * not take its feedback. A reason: it waits for review.
 */
export type Outcome =
  | 'matched'
  | 'linked'
  | 'queue'
  | 'unreadable'
  | 'unheard'
  | 'refused'
  | (typeof reasonsOfWeek)[number];

/** Whether it waits for a person, as the console's lists "To match" and "In review" count it. */
export function waits({ outcome }: Pick<PlannedInvoice, 'outcome'>): boolean {
  return !['matched', 'linked', 'unheard'].includes(outcome);
}

/** `after`: it makes sense once others are placed. `ticket`: what it is for. `before`: as it was delivered first. */
export type PlannedInvoice = {
  invoice: Invoice;
  outcome: Outcome;
  after: boolean;
  ticket: PlannedTicket | null;
  before: Invoice | null;
};

/** Every id at the provider begins with it. */
export const invoiceIdPrefix = 'demo-';

const dayMs = 86_400_000;
const payable = ['finished', 'closed', 'intervention_finish'];
const numberForms = ['FC-26-', 'AM2026-', 'FR-', 'LUM-26', 'FB26-'];
const sites: Site[] = [...locations, ...moreLocations].map(({ name, address: { route, postalCode, city } }) => {
  return { name, street: route, postcode: postalCode, city };
});

/** The sixty invoices of the week: 27 of them wait for a person. `today` is that of the tickets. */
export function planInvoices(tickets: readonly PlannedTicket[], today: Date, size: Size = 'full'): PlannedInvoice[] {
  return new InvoicePlan(tickets, today).all(size === 'full' ? { linked: 9, matched: 22 } : { linked: 5, matched: 8 });
}

type More = Partial<Omit<PlannedInvoice, 'invoice' | 'outcome'>>;

class InvoicePlan {
  readonly #tickets: readonly PlannedTicket[];
  readonly #unpaid: PlannedTicket[];
  readonly #today: Date;
  readonly #planned: PlannedInvoice[] = [];

  constructor(tickets: readonly PlannedTicket[], today: Date) {
    this.#tickets = tickets;
    this.#unpaid = tickets.filter(({ status }) => payable.includes(status));
    this.#today = today;
  }

  all({ linked, matched }: { linked: number; matched: number }): PlannedInvoice[] {
    for (let index = 0; index < linked; index++) this.#linked(2 + (index % 5));
    for (let index = 0; index < matched; index++) this.#matched(index % 3 === 2 ? 1 : 0);
    this.#add(this.#ordered(), 'unheard');
    this.#add(this.#ordered(), 'refused');
    this.#add({ ...this.#ordered(), issueDate: null, dueDate: null }, 'unreadable');
    this.#addReviews();
    this.#addQueue();
    return this.#planned;
  }

  /** Dated before its ticket, without a reference: nobody but the accountant can know. */
  #linked(daysAgo: number): void {
    const ticket = this.#next();
    const note = `Intervention ${sites[ticket.location]?.name}`;
    this.#add({ ...this.#for(ticket, daysAgo), note }, 'linked', { ticket });
  }

  #matched(daysAgo: number): void {
    const ticket = this.#next();
    const second = daysAgo > 0 ? { salesOrder: ticket.quote } : {};
    this.#add({ ...this.#for(ticket, daysAgo), order: ticket.order, ...second }, 'matched', { ticket });
  }

  #addReviews(): void {
    const matched = this.#planned.filter(({ outcome }) => outcome === 'matched').map(({ invoice }) => invoice);
    for (const twin of matched.slice(0, 2))
      this.#add({ ...twin, id: this.#id() }, 'duplicate_suspected', { after: true });
    for (const wrong of [1_000, -450]) {
      const right = this.#ordered();
      this.#add({ ...right, total: right.total + wrong }, 'amounts_inconsistent');
    }
    // The accounts of these contractors are known by then.
    const known = this.#planned.flatMap(({ outcome, ticket }) => (outcome === 'linked' ? [ticket?.trade] : []));
    for (let count = 0; count < 2; count++) {
      const ordered = this.#ordered(known);
      this.#add({ ...ordered, seller: { ...ordered.seller, iban: otherIban } }, 'iban_changed', { after: true });
    }
    this.#add({ ...this.#ordered(), status: 'refused' }, 'provider_status');
    const before = this.#ordered();
    this.#add(withNet(before, before.net + 12_000), 'changed_after_link', { before });
    this.#add({ ...this.#ordered(), seller: { ...buyer, iban: null } }, 'supplier_is_client');
    const ticket = this.#tickets.find(({ status, turn }) => status === 'canceled' && turn === 0) as PlannedTicket;
    this.#add({ ...this.#for(ticket, 0), order: ticket.order, salesOrder: ticket.quote }, 'ticket_gone', { ticket });
  }

  #addQueue(): void {
    const [paid, credited] = this.#planned
      .filter(({ outcome }) => outcome === 'matched')
      .map(({ invoice }) => invoice)
      .slice(5);
    const queue = (invoice: Invoice, more: More = {}) => this.#add(invoice, 'queue', more);
    for (const percent of [118, 131]) {
      const ordered = this.#ordered();
      queue(withNet(ordered, Math.round((ordered.net * percent) / 100)));
    }
    for (const [trade, net] of [14_500, 18_900, 9_700, 21_300, 11_850].entries()) {
      queue(withNet(this.#callOut(sellerOf(contractors[trade] as Contractor), 'Dépannage hors contrat'), net));
    }
    for (const net of [64_000, 38_250]) queue(withNet(this.#callOut(this.#stranger(), 'Nettoyage des vitrines'), net));
    queue({ ...this.#ordered(), seller: this.#stranger() });
    queue({ ...this.#ordered(), currency: 'CHF' });
    const [one, other] = [this.#ordered(), this.#next()];
    queue(withNet({ ...one, note: `Commandes ${one.order} et ${other.order}` }, one.net + other.cents));
    queue({ ...(paid as Invoice), id: this.#id(), number: `${paid?.number}-B` }, { after: true });
    // A credit note follows the invoice that it corrects, if that is known.
    this.#add(this.#creditNote(credited as Invoice, credited?.number as string), 'matched', { after: true });
    queue(this.#creditNote(this.#ordered(), 'AV-ANCIEN-17'));
    const mistyped = this.#ordered();
    const seller = { ...mistyped.seller, siren: '902000099', siret: null, vatNumber: null };
    // Earlier, it would hold the first invoice of the company to which the account belongs.
    queue({ ...mistyped, seller }, { after: true });
  }

  #add(invoice: Invoice, outcome: Outcome, more: More = {}): void {
    this.#planned.push({ invoice, outcome, after: false, ticket: null, before: null, ...more });
  }

  #next(trades?: readonly unknown[]): PlannedTicket {
    const index = trades ? this.#unpaid.findIndex(({ trade }) => trades.includes(trade)) : 0;
    return this.#unpaid.splice(index, 1)[0] as PlannedTicket;
  }

  /** For the next ticket that is to be paid, with its order. */
  #ordered(trades?: readonly unknown[]): Invoice {
    const ticket = this.#next(trades);
    return { ...this.#for(ticket, 0), order: ticket.order };
  }

  #for(ticket: PlannedTicket, daysAgo: number): Invoice {
    return invoiceOf(ticket, this.#blank(sellerOf(contractors[ticket.trade] as Contractor), daysAgo));
  }

  #callOut(seller: Seller, label: string): Invoice {
    return { ...this.#blank(seller, 0), lines: [{ label, cents: 0 }] };
  }

  #blank(seller: Seller, daysAgo: number): Invoice {
    const count = this.#planned.length + 1;
    const issued = new Date(this.#today.getTime() - daysAgo * dayMs);
    return blankInvoice(seller, { id: this.#id(), number: 1_200 + 7 * count, issued });
  }

  #creditNote(of: Invoice, preceding: string): Invoice {
    return creditNoteOf(of, preceding, this.#blank(of.seller, 0));
  }

  #stranger(): Seller {
    const address = { street: '6 rue des Écumes', postcode: '06000', city: 'Nice' };
    return { ...stranger, vatNumber: null, iban: null, address };
  }

  #id(): string {
    return `${invoiceIdPrefix}${String(this.#planned.length + 1).padStart(3, '0')}`;
  }
}

type Numbered = { id: string; number: number; issued: Date };

/** An invoice that says nothing yet but who sends it, when, and its number in the sender's form. */
export function blankInvoice(seller: Seller, { id, number, issued }: Numbered): Invoice {
  const day = (later: number) => new Date(issued.getTime() + later * dayMs).toISOString().slice(0, 10);
  const form = numberForms[contractors.findIndex(({ company }) => company.name === seller.name)] ?? 'F-';
  return {
    id,
    kind: 'invoice',
    number: `${form}${number}`,
    issueDate: day(0),
    dueDate: day(30),
    currency: 'EUR',
    seller,
    buyer,
    lines: [],
    net: 0,
    vat: 0,
    total: 0,
    order: null,
    salesOrder: null,
    preceding: null,
    note: null,
    site: sites[number % sites.length] as Site,
    status: 'received',
  };
}

/** The parts and the work of a ticket, without a reference. */
export function invoiceOf(ticket: PlannedTicket, blank: Invoice): Invoice {
  const lines = [
    { label: ticket.parts, cents: 0 },
    { label: 'Main d’œuvre et déplacement', cents: 0 },
  ];
  return withNet({ ...blank, lines, site: sites[ticket.location] as Site }, ticket.cents);
}

/** Takes back a third of an invoice. */
export function creditNoteOf(of: Invoice, preceding: string, blank: Invoice): Invoice {
  const lines = [{ label: 'Avoir, pièce reprise', cents: 0 }];
  return withNet({ ...blank, lines, site: of.site, kind: 'credit_note', preceding }, -Math.round(of.net * 0.3));
}
