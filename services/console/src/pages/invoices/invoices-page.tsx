import { useCallback, useEffect, useRef, useState } from 'react';
import { Sheet } from '../../components/overlay.tsx';
import { Page } from '../../components/page.tsx';
import { anyText, useUrlState } from '../../routing/url-state.ts';
import { useShortcut } from '../../shell/shortcuts.ts';
import styles from './bench.module.css';
import { Bench } from './bench.tsx';
import { type Failure, useInvoiceActions } from './data/invoice-actions.ts';
import { useCounts, useInvoices, usePrefetch } from './data/invoice-queries.ts';
import { FailureNotice } from './failure-notice.tsx';
import { Empty, ListPane, ListTabs } from './list-pane.tsx';
import { Pager } from './pager.tsx';
import { countsOfLists, type Invoice, lists } from './rules/invoice.ts';
import { afterRemoval, neighbour } from './rules/selection.ts';
import { Splitter } from './splitter.tsx';
import { useTexts } from './texts.ts';
import { useMedia } from './use-media.ts';

const isId = (value: string) => /^[0-9a-f]{24}$/.test(value);
const wide = '(min-width: 1280px)';

/** The bench: invoices one after the other, each with its document and the tickets that it may belong to. */
export function InvoicesPage() {
  const texts = useTexts();
  const [url, setUrl] = useUrlState({ list: lists, i: isId, q: anyText });
  const { list = 'queue', q: search = '' } = url;
  const pages = useInvoices(list, search);
  const ids = pages.items.map(({ id }) => id);
  const selected = url.i ?? ids[0] ?? null;
  const place = usePlace(ids, selected);
  const select = useCallback((id: string | null) => setUrl({ i: id }), [setUrl]);
  const [isListOpen, setListOpen] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const actions = useActions({ ids, selected, select, setFailure });
  const step = (by: 1 | -1) => {
    const next = neighbour(ids, { selected, place: place.current }, by);
    if (next !== null && next !== selected) select(next);
    if (by === 1 && next === ids.at(-1)) pages.more?.();
  };
  const before = neighbour(ids, { selected, place: place.current }, -1);
  const after = neighbour(ids, { selected, place: place.current }, 1);
  usePrefetch([after, before]);
  useShortcut('j', () => step(1));
  useShortcut('k', () => step(-1));
  const isWide = useMedia(wide);
  const [width, setWidth] = useState(320);
  const { data: counts } = useCounts();
  const onList = (chosen: typeof list) => {
    if (chosen !== list) setUrl({ list: chosen === 'queue' ? null : chosen, i: null, q: null });
  };
  const onSearch = (text: string) => setUrl({ q: text === '' ? null : text, i: null }, { replace: true });
  const pane = <ListPane {...{ list, search, onSearch, pages, selected }} onSelect={select} />;
  const notice = failure && (
    <FailureNotice failure={failure} isShown={failure.act.invoice.id === selected} onDismiss={() => setFailure(null)} />
  );
  const isLast = after === null || after === selected;
  const bench = selected !== null && (
    <Bench id={selected} actions={actions} onSkip={isLast ? null : () => step(1)} notice={notice} />
  );
  return (
    <Page title={texts.title}>
      {isWide ? (
        <div className={styles['wide']} style={{ gridTemplateColumns: `${width}px auto minmax(0, 1fr)` }}>
          <ListTabs list={list} onList={onList}>
            {pane}
          </ListTabs>
          <Splitter label={texts.resizeList} width={width} onResize={setWidth} min={240} max={480} />
          {bench || <div className={styles['nothing']}>{notice}</div>}
        </div>
      ) : (
        <div className={styles['medium']}>
          <ListTabs list={list} onList={onList}>
            {selected === null && !pages.query.isPending ? (
              <Empty list={list} isSearch={search !== ''} />
            ) : (
              <Pager
                place={selected === null ? -1 : ids.indexOf(selected)}
                count={Math.max(ids.length, search === '' && counts ? countsOfLists(counts)[list] : 0)}
                onStep={step}
                onShowList={() => setListOpen(true)}
              />
            )}
          </ListTabs>
          {bench || notice}
          <Sheet title={texts[list]} isOpen={isListOpen} onOpenChange={setListOpen}>
            {pane}
          </Sheet>
        </div>
      )}
    </Page>
  );
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
function useActions({ ids, selected, select, setFailure }: Bound) {
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
