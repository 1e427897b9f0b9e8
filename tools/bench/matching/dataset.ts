import type { LocationSnapshot, PurchaseSnapshot, QuoteSnapshot, TicketSnapshot } from '@app/contracts';
import type { Random } from '@app/demo';
import { type Company, createCompanies } from './companies.ts';
import { purchaseSnapshot } from './purchase-snapshot.ts';

/** What a client has before the invoices arrive. Amounts in euros without VAT, except for orders kept with VAT. */
export type Dataset = {
  clientId: string;
  contractors: Company[];
  locations: LocationSnapshot[];
  tickets: DatasetTicket[];
};
/** A ticket with its purchase documents. `price`: what its work costs. */
export type DatasetTicket = {
  ticket: TicketSnapshot;
  purchases: PurchaseSnapshot[];
  locations: LocationSnapshot[];
  company: Company;
  price: number;
  vatRate: number;
};

const orderStyles = ['BC-YYYY-####', '45000#####', 'PO-#####', 'CMD YYYY/###', 'YYYY-0####', 'DA#####'];
const cities = ['Lyon', 'Paris', 'Lille', 'Nantes', 'Bordeaux', 'Dijon', 'Metz', 'Toulouse', 'Rennes', 'Nice'];
const titles = ['Fuite en salle d’eau', 'Panne de chaudière', 'Porte bloquée', 'Éclairage du hall', 'Visite annuelle'];
const dayMs = 86_400_000;
const from = Date.parse('2025-11-01T08:00:00.000Z');
const periodDays = 330;

export function createDataset(random: Random, tickets: number): Dataset {
  let made = 0;
  const id = () =>
    (0x60000000 + made++).toString(16) +
    random
      .whole(0, 2 ** 40)
      .toString(16)
      .padStart(16, '0');
  const clientId = id();
  const contractors = createCompanies(random, id);
  const locations = cities.flatMap((city, at) =>
    ['Gare', 'Centre', 'Parc', 'Sud'].map((part, index): LocationSnapshot => {
      const name = `Agence ${city} ${part}`;
      const postal_code = `${10 + at * 8}${100 + index * 10}`;
      const facturation_name = index === 0 ? `SCI ${city} ${part}` : null;
      return {
        id: id(),
        version: 1,
        client_id: clientId,
        name,
        reference: `S${at}${index}7`,
        postal_code,
        facturation_name,
        deleted: false,
      };
    }),
  );
  const styles = { main: random.one(orderStyles), other: random.one(orderStyles) };
  const numbers = { order: random.whole(20, 900), quote: random.whole(20, 900), ticket: random.whole(20, 3000) };
  const makeOne = ticketMaker({ random, id, clientId, contractors, locations, styles, numbers });
  const works: DatasetTicket[] = [];
  while (works.length < tickets) works.push(makeOne(random.chance(0.15) ? works.at(-1) : undefined));
  return { clientId, contractors, locations, tickets: works };
}

type Generator = {
  random: Random;
  id: () => string;
  clientId: string;
  contractors: Company[];
  locations: LocationSnapshot[];
  styles: { main: string; other: string };
  numbers: { order: number; quote: number; ticket: number };
};

/** Generates tickets. With `like`: same contractor, place and price a few days later (recurring work). */
function ticketMaker(maker: Generator): (like?: DatasetTicket) => DatasetTicket {
  const { random, id, clientId, contractors, locations } = maker;
  return (like) => {
    // A few contractors have most of the tickets.
    const company = like?.company ?? (contractors[Math.floor(contractors.length * random.next() ** 2.2)] as Company);
    const price = like?.price ?? priceOf(random, company);
    const created = like
      ? Date.parse(like.ticket.created_at) + random.whole(2, 30) * dayMs
      : from + random.whole(0, periodDays) * dayMs + random.whole(0, dayMs / 2);
    const status = random.weighted({
      finished: 45,
      closed: 18,
      intervention_finish: 10,
      intervention: 10,
      validated: 7,
      opened: 4,
      canceled: 3,
      toplan: 3,
    });
    const isBegun = ['finished', 'closed', 'intervention_finish', 'intervention'].includes(status);
    const intervened = isBegun ? new Date(created + random.whole(0, 25) * dayMs).toISOString() : null;
    const at = new Date(created).toISOString();
    const place = like?.locations ?? [random.one(locations)];
    const quotes = random.chance(0.6) ? quotesFor(maker, { company, price, at }) : [];
    const numbered =
      like && random.chance(0.1) ? like.ticket.number : `T-${String(maker.numbers.ticket++).padStart(6, '0')}`;
    const ticket: TicketSnapshot = {
      id: id(),
      version: 3,
      number: numbered,
      title: random.one(titles),
      client_id: clientId,
      status,
      typology_id: clientId,
      maintenance: random.chance(0.1) ? `CM-2024-${random.whole(10, 16)}` : null,
      location_ids: place.map((one) => one.id),
      created_at: at,
      updated_at: intervened ?? at,
      last_intervention_at: intervened,
      quotes,
      views: [
        { id: id(), role: 'client', company_id: clientId, contractor_id: null, state: 'client', status },
        { id: id(), role: 'contractor', company_id: null, contractor_id: company.id, state: 'active', status },
      ],
    };
    const vatRate = random.weighted({ '0.2': 75, '0.1': 20, '0.055': 5 });
    const work = { ticket, purchases: [], locations: place, company, price, vatRate: Number(vatRate) };
    return { ...work, purchases: random.chance(0.82) ? purchasesFor(maker, work, id) : [] };
  };
}

function priceOf(random: Random, { fees }: Company): number {
  const kind = random.weighted({ fee: 0.15, round: 0.25, exact: 0.6 });
  if (kind === 'fee') return random.one(fees);
  const price = 60 * Math.exp(random.next() * 4);
  return kind === 'round' ? Math.round(price / 10) * 10 : Math.round(price * 100) / 100;
}

function quotesFor(
  { random, id, numbers }: Generator,
  { company, price, at }: { company: Company; price: number; at: string },
): QuoteSnapshot[] {
  const quote = (status: QuoteSnapshot['status'], amount: number): QuoteSnapshot => ({
    id: id(),
    reference: numbered(company.quoteStyle, numbers.quote++),
    price: amount.toFixed(2),
    includes_vat: false,
    status,
    contractor_id: company.id,
    validated_at: status === 'validated' ? at : null,
  });
  const declined = random.chance(0.2) ? [quote('declined', Math.round(price * 115) / 100)] : [];
  return [...declined, quote('validated', price)];
}

function purchasesFor(maker: Generator, work: DatasetTicket, id: () => string): PurchaseSnapshot[] {
  const { random, styles, numbers, clientId } = maker;
  const { ticket, price, vatRate } = work;
  const withVat = random.chance(0.06) ? 1 + vatRate : 1;
  const paper = (kind: PurchaseSnapshot['kind'], reference: string, amount: number | null): PurchaseSnapshot => ({
    ...purchaseSnapshot({
      id: id(),
      ticket_id: ticket.id,
      buyer_company_id: clientId,
      kind,
      reference,
      amount,
      at: ticket.created_at,
    }),
    deleted: random.chance(0.01),
    includes_vat: kind === 'purchase_order' && withVat > 1,
  });
  const style = random.chance(0.8) ? styles.main : styles.other;
  const order = () => {
    numbers.order += random.whole(1, 3);
    return numbered(style, numbers.order);
  };
  const share = random.chance(0.08) ? random.whole(20, 70) / 100 : 1;
  const first = Math.round(price * share * 100) / 100;
  const amount = random.chance(0.93) ? Math.round(first * withVat * 100) / 100 : null;
  const orders = [paper('purchase_order', order(), amount)];
  if (share < 1) orders.push(paper('purchase_order', order(), Math.round((price - first) * withVat * 100) / 100));
  const request = random.chance(0.25) ? [paper('purchase_request', `DA-${numbers.order + 4000}`, price)] : [];
  const receipt = random.chance(0.5)
    ? [paper('goods_receipt', `BR${String(numbers.order * 3).padStart(6, '0')}`, null)]
    : [];
  return [
    ...orders,
    ...request,
    ...receipt.map((one) => ({ ...one, purchase_order_id: (orders[0] as PurchaseSnapshot).id })),
  ];
}

function numbered(style: string, number: number): string {
  return style
    .replace('YYYY', '2026')
    .replace('YY', '26')
    .replace(/#+/, (places) => String(number).padStart(places.length, '0'));
}
