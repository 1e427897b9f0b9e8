import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { anyText, isId, useUrlState } from '../../../routing/url-state.ts';
import { useDefaultFilter } from '../../../session/saved-filters/saved-filters.ts';
import { useShortcut } from '../../../shell/keyboard/shortcuts.ts';
import { type Failure, useInvoiceActions } from '../data/invoice-actions.ts';
import { useInvoices, usePrefetch } from '../data/invoice-queries.ts';
import { type Invoice, type List, lists } from '../rules/invoice.ts';
import { filterIn, filterNames, filterValues, type InvoiceFilter } from '../rules/invoice-filter.ts';
import { afterRemoval, neighbour } from '../rules/selection.ts';
import { useTexts } from '../texts.ts';

/** The list and the invoice that the address names, and functions to go to the next one. */
export function useBrowsing() {
  useDefaultFilter('invoices');
  const [url, setUrl] = useUrlState({ list: lists, i: isId, q: anyText, ...filterValues });
  const { list = 'queue', q: search = '' } = url;
  const filter = filterIn(url);
  const pages = useInvoices(list, search, filter);
  const ids = pages.items.map(({ id }) => id);
  const selected = url.i ?? ids[0] ?? null;
  const place = usePlace(ids, selected);
  useEffect(() => {
    // The shown invoice stays selected, whatever is added to the list or leaves it.
    if (url.i === undefined && selected !== null) setUrl({ i: selected }, { replace: true });
  }, [url.i, selected, setUrl]);
  const select = useCallback((id: string | null) => setUrl({ i: id }), [setUrl]);
  const before = neighbour(ids, { selected, place: place.current }, -1);
  const after = neighbour(ids, { selected, place: place.current }, 1);
  const step = (by: 1 | -1) => {
    const next = by === 1 ? after : before;
    if (next !== null && next !== selected) select(next);
    if (by === 1 && next === ids.at(-1)) pages.more?.();
  };
  usePrefetch([after, before]);
  useShortcut('j', () => step(1));
  useShortcut('k', () => step(-1));
  // Registered here and not beside its button, so that the key works while an invoice is loading.
  useShortcut('s', () => step(1), { label: useTexts().skip });
  return {
    list,
    search,
    filter,
    pages,
    ids,
    selected,
    place,
    select,
    step,
    isLast: after === null || after === selected,
    onList(chosen: List) {
      if (chosen !== list) setUrl({ list: chosen === 'queue' ? null : chosen, i: null, q: null, ...noFilter });
    },
    onFilter: (chosen: InvoiceFilter) => setUrl({ ...noFilter, ...(chosen as object), i: null }),
    onSearch: (text: string) => setUrl({ q: text === '' ? null : text, i: null }, { replace: true }),
  };
}

const noFilter = Object.fromEntries(filterNames.map((name) => [name, null]));

/** The row of the selected invoice, or the last row that it had before it left the list. */
function usePlace(ids: readonly string[], selected: string | null) {
  const place = useRef(0);
  const index = selected === null ? -1 : ids.indexOf(selected);
  useEffect(() => {
    if (index >= 0) place.current = index;
  }, [index]);
  return place;
}

type Bound = {
  ids: readonly string[];
  selected: string | null;
  place: RefObject<number>;
  select: (id: string | null) => void;
  setFailure: (failure: Failure | null) => void;
};

/**
 * The actions, and what this page shows after them: after a link the invoice that takes its row, after a failure the
 * invoice of the action.
 */
export function useBenchActions({ ids, selected, place, select, setFailure }: Bound) {
  const shown = useRef({ selected, isHere: true });
  /** The invoice that the last link led to, until the user goes to another one. */
  const ledTo = useRef<string | null>(null);
  useEffect(() => {
    shown.current = { selected, isHere: true };
    return () => {
      shown.current.isHere = false;
    };
  }, [selected]);
  return useInvoiceActions({
    onLink({ id }: Invoice) {
      setFailure(null);
      ledTo.current = afterRemoval(ids, id, place.current);
      select(ledTo.current);
    },
    onFailed(failure) {
      setFailure(failure);
      const hasGoneOn = shown.current.selected !== ledTo.current;
      if (shown.current.isHere && failure.act.kind === 'link' && !hasGoneOn) select(failure.act.invoice.id);
    },
    onUndone(id) {
      if (shown.current.isHere) select(id);
    },
  });
}
