import type { TsSchemas } from '@app/api-client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { call, tickets, ts } from '../../api/client.ts';
import { whileVisible } from '../../api/query.ts';
import { startOfDay } from '../../routing/days.ts';
import { dayMs, localInput } from '../../routing/local-moment.ts';
import { pathOf, useRefresh } from '../tickets/tickets.ts';

export type AgendaEntry = TsSchemas['AgendaEntry'];
export type View = 'week' | 'month';

export function daysLater(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);
}

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

type Filter = { contractor?: string; place?: string; manager?: string };
const key = ['agenda'];

export function useAgenda(days: readonly string[], timeZone: string, filter: Filter) {
  const { contractor, place, manager } = filter;
  const query = {
    // The days of a place may begin earlier and end later than those of the user.
    from: startOfDay(days[0] ?? '', timeZone, -1),
    to: startOfDay(days.at(-1) ?? '', timeZone, 2),
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

/** Cancels the date and plans another one of the same length. If only the second fails, the next try plans alone. */
export function useMoveDate({ _id, category, start, end, ticket }: AgendaEntry) {
  const client = useQueryClient();
  const refresh = useRefresh(ticket._id);
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
    onSettled: () => Promise.all([refresh(), client.invalidateQueries({ queryKey: key })]),
  });
}
