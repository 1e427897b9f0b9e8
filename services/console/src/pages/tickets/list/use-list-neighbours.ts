import { useEffect, useRef } from 'react';
import { useHistoryState } from 'wouter/use-browser-location';
import { listIn } from '../../../routing/from-list.ts';
import { valuesIn } from '../../../routing/url-state.ts';
import { useSession } from '../../../session/session.ts';
import { filtersOf } from '../list-query.ts';
import { useTickets } from '../tickets.ts';
import { neighboursOf } from './list-neighbours.ts';

/** After a reload, up to this many tickets of the list are read to find the shown one. */
const searched = 200;

/**
 * The list that a ticket was opened from, and the tickets before and after it there. The list is
 * cached for a minute, so that it stays the same while the user steps through it.
 */
export function useListNeighbours(id: string) {
  const list = listIn(useHistoryState<unknown>());
  const { company } = useSession();
  const filter = valuesIn(new URLSearchParams(list ?? ''), filtersOf(company.kind));
  const { items, more, isLoadingMore } = useTickets(filter, { enabled: list !== null, staleTime: 60_000 });
  const ids = list === null ? [] : items.map(({ _id }) => _id);
  const place = useRef<{ list: string | null; at: number | null }>({ list: null, at: null });
  const index = ids.indexOf(id);
  useEffect(() => {
    if (index >= 0) place.current = { list, at: index };
  }, [index, list]);
  const known = place.current.list === list ? place.current.at : null;
  const found = neighboursOf(ids, id, known);
  const isSought = ids.length > 0 && ids.length < searched && index < 0 && known === null;
  const isAtEnd = index >= 0 && found.next === null;
  useEffect(() => {
    if ((isSought || isAtEnd) && !isLoadingMore) more?.();
  });
  return { list, ...found };
}
