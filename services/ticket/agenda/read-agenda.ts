import type { Caller } from '@app/contracts';
import type { ClockSettingsStore } from '../clock-settings/clock-settings-store.ts';
import { hoursFor } from '../clocks/policies.ts';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import type { AgendaFilter, Period } from '../tickets/lists/agenda-keys.ts';
import type { TicketStore } from '../tickets/stores/ticket-store.ts';
import { activeView, type Ticket, type View, viewOfCompany } from '../tickets/ticket.ts';
import { type AgendaDate, agendaDates } from './agenda.ts';

export type AgendaDeps = {
  tickets: Pick<TicketStore, 'agenda'>;
  referentials: Pick<ReferentialStore, 'resolve' | 'withAbove' | 'placesBelow'>;
  contractors: Pick<ContractorStore, 'byIds'>;
  clockSettings: Pick<ClockSettingsStore, 'byIds'>;
};

type Named = { _id: string; name: string | null };

/** A visit or work in an agenda. `time_zone`: that of the place; null: it has no hours. */
export type AgendaEntry = AgendaDate & {
  ticket: Ticket;
  own: View;
  places: (Named & { address: string | null })[];
  contractor: Named | null;
  time_zone: string | null;
};

/** Of tickets, and of their dates. */
export const maxEntries = 2_000;

type Wanted = Period & { filter?: AgendaFilter; isShown: (one: AgendaDate & { ticket: Ticket }) => boolean };

/** What the caller sees of a period, by start. `isMore`: that is not all of it, and not the first of it either. */
export async function readAgenda(
  deps: AgendaDeps,
  caller: Caller,
  { filter = {}, isShown, ...period }: Wanted,
): Promise<{ entries: AgendaEntry[]; isMore: boolean }> {
  const found = await deps.tickets.agenda(period, filter, caller, maxEntries + 1);
  const all = found.flatMap((ticket) => {
    const own = viewOfCompany(ticket, caller.companyId) as View;
    const dates = agendaDates(ticket, own, period).map((one) => ({ ...one, ticket, own }));
    return dates.filter(isShown);
  });
  all.sort((one, other) => one.date.start.getTime() - other.date.start.getTime());
  const dated = all.slice(0, maxEntries);
  const shownOf = await whereabouts(deps, [...new Set(dated.map(({ ticket }) => ticket))]);
  const entries = dated.map((one) => ({ ...one, ...shownOf(one.ticket) }));
  return { entries, isMore: found.length > maxEntries || all.length > maxEntries };
}

/** Place, time zone and contractor of tickets. */
async function whereabouts({ referentials, contractors, clockSettings }: AgendaDeps, tickets: Ticket[]) {
  const clients = [...new Set(tickets.map(({ client_id }) => client_id))];
  const contractorIds = [...new Set(tickets.flatMap((ticket) => activeView(ticket)?.contractor_id ?? []))];
  const location_ids = [...new Set(tickets.flatMap((ticket) => ticket.location_ids))];
  const [{ locations }, named, settings] = await Promise.all([
    referentials.resolve(clients, { location_ids }),
    contractors.byIds(clients, contractorIds),
    clockSettings.byIds(clients),
  ]);
  const chains = new Map<string, string[]>();
  const found = [...settings.keys()].map(async (client) => {
    const own = tickets.filter(({ client_id }) => client_id === client);
    const first = [...new Set(own.flatMap(({ location_ids: [id] }) => id ?? []))];
    for (const chain of await referentials.withAbove(client, first)) chains.set(chain[0] ?? '', chain);
  });
  await Promise.all(found);
  return (ticket: Ticket): Pick<AgendaEntry, 'places' | 'contractor' | 'time_zone'> => {
    const id = activeView(ticket)?.contractor_id ?? null;
    const hours = settings.get(ticket.client_id)?.hours ?? [];
    const places = ticket.location_ids.flatMap((place) => locations.get(place) ?? []);
    return {
      places: places.map(({ _id, name, address }) => ({ _id, name, address: address?.fullAddress ?? null })),
      contractor: id === null ? null : { _id: id, name: named.get(id)?.name ?? null },
      time_zone: hoursFor(hours, { places: [chains.get(ticket.location_ids[0] ?? '') ?? []] })?.time_zone ?? null,
    };
  };
}
