import { BookUser, Building2, FileText, MapPin, Ticket, Wrench } from 'lucide-react';
import { call, tickets, ts } from '../../api/client.ts';
import { readingsOf } from '../../components/forms/amount.ts';
import { formatMoney } from '../../i18n/format.ts';
import type { en } from '../../i18n/texts.en.ts';
import { may } from '../../session/permissions.ts';
import type { Session } from '../../session/session.ts';
import type { Target } from './go-to-list.tsx';

/** Of each kind. */
const mostFound = 5;

/** What a search finds of one kind, by one request. */
export type Source = { name: string; read: (q: string, signal: AbortSignal) => Promise<Target[]> };
type Words = { kinds: (typeof en)['goToKinds']; locale: string };

/** The sources of what this user may see. */
export function sourcesFor(session: Session, words: Words): Source[] {
  const isClient = session.company.kind === 'client';
  const [hasTickets, hasInvoices] = [may(session, 'tickets'), isClient && may(session, 'accounting')];
  return [
    ...(hasTickets ? [ticketsFor({ isClient }, words)] : []),
    ...(hasInvoices ? [invoices(words)] : []),
    ...(isClient && (hasTickets || hasInvoices) ? [contractorsFor({ hasTickets, hasInvoices }, words)] : []),
    ...(isClient && hasTickets ? placesAndEquipment(words) : []),
  ];
}

/** An amount with decimals is one of a quote, for clients; a number may be that of a ticket. */
function ticketsFor({ isClient }: { isClient: boolean }, { kinds }: Words): Source {
  return {
    name: 'tickets',
    async read(q, signal) {
      const amount = isClient && /[.,]\d\d?$/.test(q) ? Number(readingsOf(q)[0]) : Number.NaN;
      const wanted = Number.isNaN(amount) ? { q } : { quote_from: amount, quote_to: amount };
      const query = { ...wanted, limit: mostFound, order: 'desc' } as const;
      const found = await call(tickets.GET('/api/v3.0/tickets', { params: { query }, signal }));
      return found.tickets.map(({ _id, number, title }) => ({
        href: `/tickets/${_id}`,
        icon: Ticket,
        text: `${number} ${title}`,
        hint: kinds.ticket,
      }));
    },
  };
}

function invoices({ kinds, locale }: Words): Source {
  return {
    name: 'invoices',
    async read(q, signal) {
      const query = { q, limit: mostFound };
      const { items } = await call(ts.GET('/invoices/search', { params: { query }, signal }));
      return items.map(({ id, number, supplier, amounts, currency }) => ({
        href: `/invoices/${id}`,
        icon: FileText,
        text: [number, supplier.name].filter(Boolean).join(', '),
        hint: hintOf(kinds.invoice, amounts && currency && formatMoney(amounts.ttc, { locale, currency })),
      }));
    },
  };
}

/** Each as an entry of the directory, and as a supplier with its invoices. */
function contractorsFor(has: { hasTickets: boolean; hasInvoices: boolean }, { kinds }: Words): Source {
  return {
    name: 'contractors',
    async read(q, signal) {
      const query = { q, limit: mostFound };
      const found = await call(tickets.GET('/api/v3.0/contractors', { params: { query }, signal }));
      return found.contractors.flatMap(({ name, siren, siret }) => {
        const supplier = {
          href: `/invoices?list=all&q=${encodeURIComponent(siren ?? name)}`,
          icon: Building2,
          text: name,
          hint: hintOf(kinds.supplier, siren),
        };
        const contractor = {
          href: `/directory?q=${encodeURIComponent(siret ?? name)}`,
          icon: BookUser,
          text: name,
          hint: hintOf(kinds.contractor, siret),
        };
        return [...(has.hasTickets ? [contractor] : []), ...(has.hasInvoices ? [supplier] : [])];
      });
    },
  };
}

function placesAndEquipment({ kinds }: Words): Source[] {
  return [
    {
      name: 'places',
      async read(q, signal) {
        const query = { q, limit: mostFound };
        const found = await call(tickets.GET('/api/v3.0/locations', { params: { query }, signal }));
        return found.locations.map(({ _id, name, reference, address }) => ({
          href: `/settings/locations/${_id}`,
          icon: MapPin,
          text: [reference, name].filter(Boolean).join(' '),
          hint: hintOf(kinds.place, address?.city),
        }));
      },
    },
    {
      name: 'equipment',
      async read(q, signal) {
        const query = { q, limit: mostFound };
        const found = await call(tickets.GET('/api/v3.0/equipments', { params: { query }, signal }));
        return found.equipments.map(({ _id, name, serial_number: serial }) => ({
          href: `/settings/equipments/${_id}`,
          icon: Wrench,
          text: name,
          hint: hintOf(kinds.equipment, serial),
        }));
      },
    },
  ];
}

function hintOf(kind: string, detail: string | null | undefined): string {
  return [kind, detail].filter(Boolean).join(' · ');
}
