import { useCallback, useEffect, useRef } from 'react';
import { anyText, useUrlState } from '../../routing/url-state.ts';
import { useShortcut } from '../../shell/shortcuts.ts';
import { type Failure, useInvoiceActions } from './data/invoice-actions.ts';
import { useInvoices, usePrefetch } from './data/invoice-queries.ts';
import { type Invoice, type List, lists } from './rules/invoice.ts';
import { afterRemoval, neighbour } from './rules/selection.ts';
import { useTexts } from './texts.ts';

const isId = (value: string) => /^[0-9a-f]{24}$/.test(value);

/** Which list is shown and which invoice of it, as the address has it; and the way to the next. */
export function useBrowsing() {
  const [url, setUrl] = useUrlState({ list: lists, i: isId, q: anyText });
  const { list = 'queue', q: search = '' } = url;
  const pages = useInvoices(list, search);
  const ids = pages.items.map(({ id }) => id);
  const selected = url.i ?? ids[0] ?? null;
  const place = usePlace(ids, selected);
  useEffect(() => {
    // What is shown stays, whatever comes to the list or leaves it.
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
  // Here and not beside its button: while an invoice is read, the way on is open.
  useShortcut('s', () => step(1), { label: useTexts().skip });
  return {
    ...{ list, search, pages, ids, selected, select, step },
    isLast: after === null || after === selected,
    onList(chosen: List) {
      if (chosen !== list) setUrl({ list: chosen === 'queue' ? null : chosen, i: null, q: null });
    },
    onSearch: (text: string) => setUrl({ q: text === '' ? null : text, i: null }, { replace: true }),
  };
}

/** The row of what is selected, or was until it left the list. */
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
  select: (id: string | null) => void;
  setFailure: (failure: Failure | null) => void;
};

/** The actions, with what follows on this page: the next row in place after a link; after a failure, the invoice it was about. */
export function useBenchActions({ ids, selected, select, setFailure }: Bound) {
  const shown = useRef({ selected, isHere: true });
  /** Where a link led to, while the user has not gone on. */
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
      ledTo.current = afterRemoval(ids, id);
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
