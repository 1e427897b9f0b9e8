import type { TsSchemas } from '@app/api-client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { call, tickets, ts } from '../../api/client.ts';
import { optional, whileVisible } from '../../api/query.ts';
import { useLocale } from '../../i18n/locale.tsx';
import { daysLater, startOfDay } from '../../routing/days.ts';
import { localInput } from '../../routing/local-moment.ts';
import { useSession } from '../../session/session.ts';
import { listQuery, type Ticket, type Whose } from '../tickets/list-query.ts';
import type { Move } from '../tickets/moves/moves.ts';
import { listKey, pathOf, refreshTicket } from '../tickets/tickets.ts';

export type AgendaEntry = TsSchemas['AgendaEntry'];
export type View = 'week' | 'month';

const mondayOf = (day: string) => daysLater(day, -((new Date(day).getUTCDay() + 6) % 7));

/** The days of the week, or the weeks of the month, that a day is in. They begin on Mondays. */
export function daysOf(view: View, day: string): string[] {
  const first = mondayOf(view === 'week' ? day : `${day.slice(0, 8)}01`);
  return Array.from({ length: view === 'week' ? 7 : 42 }, (_, index) => daysLater(first, index));
}

/** The same day of the period before or after; in a shorter month its first day. */
export function periodFrom(view: View, day: string, steps: number): string {
  if (view === 'week') return daysLater(day, 7 * steps);
  const [year = 0, month = 0] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + steps, 1)).toISOString().slice(0, 10);
}

/** An entry is on a day if it is there at its place; without a known zone, where the user is. */
export function isOn(day: string, { start, end, time_zone }: AgendaEntry, timeZone: string): boolean {
  const [first, last] = [start, end].map((moment) => localInput(moment, time_zone ?? timeZone));
  return (first ?? '') < daysLater(day, 1) && ((last ?? '') > `${day}T00:00` || first?.slice(0, 10) === day);
}

const key = [...listKey, 'dates'];

export function useAgenda(days: readonly string[], timeZone: string, filter: Whose) {
  const { client, contractor, place, manager } = filter;
  const query = {
    // The days of a place may begin earlier and end later than those of the user.
    from: startOfDay(days[0] ?? '', timeZone, -1),
    to: startOfDay(days.at(-1) ?? '', timeZone, 2),
    ...(client && { client_id: client }),
    ...(contractor && { contractor_id: contractor }),
    ...(place && { place_id: place }),
    ...(manager && { manager_id: manager }),
  };
  return useQuery({
    queryKey: [...key, query],
    queryFn: async ({ signal }) => (await call(ts.GET('/agenda', { params: { query }, signal }))).entries,
    ...whileVisible,
  });
}

const mostUndated = 50;

/** Tickets that wait for a date: those with the earliest due dates, then the newest. `isMore`: there are others. */
export function useUndated(filter: Whose) {
  const { kind } = useSession().company;
  const { timeZone } = useLocale();
  const query = { ...listQuery({ ...filter, view: 'to-plan' }, kind, timeZone), limit: mostUndated };
  return useQuery({
    queryKey: [...listKey, 'undated', query],
    async queryFn({ signal }) {
      const read = (wanted: object) =>
        call(tickets.GET('/api/v3.0/tickets', { params: { query: { ...query, ...wanted } }, signal }));
      const due = { sort: 'due_date', order: 'asc', due_after: 0 } as const;
      const pages = await Promise.all([read(due), read({})]);
      const all = new Map(pages.flatMap((page) => page.tickets).map((ticket) => [ticket._id, ticket]));
      const isMore = all.size > mostUndated || pages.some(({ cursor }) => cursor !== null);
      return { found: [...all.values()].slice(0, mostUndated), isMore };
    },
    ...whileVisible,
    ...optional,
  });
}

/** When the next of its deadlines is; null: it has none, or something holds it off. */
export function nextDue({ clocks }: Pick<Ticket, 'clocks'>): string | null {
  const open = [clocks?.response, clocks?.arrival, clocks?.finish].filter((clock) => clock?.reached_at === null);
  return open.flatMap((clock) => clock?.due_at ?? []).sort()[0] ?? null;
}

/** The moves that plan a date, work before a visit. */
export function plansOf({ moves = [] }: Pick<Ticket, 'moves'>): Move[] {
  return ['plan_intervention', 'plan_visit'].flatMap((name) => moves.filter(({ operation }) => operation === name));
}

/** Cancels the date and plans another one of the same length. If only the second fails, the next try plans alone. */
export function useMoveDate({ _id, category, start, end, ticket }: AgendaEntry) {
  const isCanceled = useRef(false);
  const path = pathOf(ticket._id);
  const lasts = Date.parse(end) - Date.parse(start);
  return useMutation({
    mutationFn: async (moment: string) => {
      const last = new Date(Date.parse(moment) + lasts).toISOString();
      if (!isCanceled.current)
        await call(tickets.POST('/api/v3.0/tickets/{ticket_id}/reschedule', { ...path, body: { date_id: _id } }));
      isCanceled.current = true;
      const body = { start: moment, end: last, type: 'planned' as const, category };
      await call(tickets.POST('/api/v3.0/tickets/{ticket_id}/dates', { ...path, body }));
    },
    onSettled: () => refreshTicket(ticket._id),
  });
}
