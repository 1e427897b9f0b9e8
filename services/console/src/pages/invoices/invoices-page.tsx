import { ChevronLeft, ChevronRight, List as ListIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Page } from '../../components/layout/page.tsx';
import { useMedia } from '../../components/layout/use-media.ts';
import { Sheet } from '../../components/overlays/overlay.tsx';
import { type Counted, formatCounted, formatNumber } from '../../i18n/format.ts';
import { useLocale } from '../../i18n/locale.tsx';
import styles from './bench/bench.module.css';
import { Bench } from './bench/bench.tsx';
import { FailureNotice } from './bench/failure-notice.tsx';
import { Splitter } from './bench/splitter.tsx';
import type { Failure } from './data/invoice-actions.ts';
import { useCounts } from './data/invoice-queries.ts';
import { useBenchActions, useBrowsing } from './list/browsing.ts';
import { Empty, ListPane, ListTabs } from './list/list-pane.tsx';
import { countsOfLists } from './rules/invoice.ts';
import { useTexts } from './texts.ts';

type PagerProps = { place: number; total: Counted; onStep: (step: 1 | -1) => void; onShowList: () => void };

/** Replaces the list if there is no room for it: `3 of 57`. */
function Pager({ place, total, onStep, onShowList }: PagerProps) {
  const texts = useTexts();
  const { locale } = useLocale();
  return (
    <div className={styles['pager']}>
      <Button variant="quiet" onPress={onShowList} aria-haspopup="dialog">
        <ListIcon size={16} aria-hidden="true" />
        {texts.showList}
      </Button>
      <span className={styles['space']} />
      <Button variant="quiet" isIcon aria-label={texts.previous} aria-keyshortcuts="k" onPress={() => onStep(-1)}>
        <ChevronLeft size={16} aria-hidden="true" />
      </Button>
      <span className={styles['place']}>
        {texts.placeOf(place < 0 ? '–' : formatNumber(place + 1, locale), formatCounted(total, locale))}
      </span>
      <Button variant="quiet" isIcon aria-label={texts.next} aria-keyshortcuts="j" onPress={() => onStep(1)}>
        <ChevronRight size={16} aria-hidden="true" />
      </Button>
    </div>
  );
}

const wide = '(min-width: 1280px)';

type Browsing = ReturnType<typeof useBrowsing>;
type LayoutProps = { browsing: Browsing; children: ReactNode };

/** The bench: invoices one after the other, each with its document and the suggested tickets. */
export function InvoicesPage() {
  const texts = useTexts();
  const browsing = useBrowsing();
  const { selected, isLast, step } = browsing;
  const [failure, setFailure] = useState<Failure | null>(null);
  const actions = useBenchActions({ ...browsing, setFailure });
  const Layout = useMedia(wide) ? BesideList : BelowList;
  const notice = failure && (
    <FailureNotice failure={failure} isShown={failure.act.invoice.id === selected} onDismiss={() => setFailure(null)} />
  );
  return (
    <Page title={texts.titles[browsing.list]}>
      <Layout browsing={browsing}>
        {selected === null ? (
          notice
        ) : (
          <Bench id={selected} actions={actions} onSkip={isLast ? null : () => step(1)} notice={notice} />
        )}
      </Layout>
    </Page>
  );
}

function List({ browsing, onChosen }: { browsing: Browsing; onChosen?: () => void }) {
  const { list, search, onSearch, filter, onFilter, pages, selected, select } = browsing;
  const onSelect = (id: string) => {
    select(id);
    onChosen?.();
  };
  return (
    <ListPane
      list={list}
      search={search}
      onSearch={onSearch}
      filter={filter}
      onFilter={onFilter}
      pages={pages}
      selected={selected}
      onSelect={onSelect}
    />
  );
}

function BesideList({ browsing, children }: LayoutProps) {
  const texts = useTexts();
  const [width, setWidth] = useState(320);
  return (
    <div className={styles['wide']} style={{ gridTemplateColumns: `${width}px auto minmax(0, 1fr)` }}>
      <ListTabs list={browsing.list} onList={browsing.onList}>
        <List browsing={browsing} />
      </ListTabs>
      <Splitter label={texts.resizeList} width={width} onResize={setWidth} min={240} max={480} />
      {children}
    </div>
  );
}

/** Without room for the list: the position in it, and the list in a sheet. */
function BelowList({ browsing, children }: LayoutProps) {
  const texts = useTexts();
  const { list, search, filter, pages, ids, selected, step, onList } = browsing;
  const isFiltered = search !== '' || Object.keys(filter).length > 0;
  const [isOpen, setOpen] = useState(false);
  const { data: counts } = useCounts();
  const counted = counts && !isFiltered ? countsOfLists(counts)[list] : null;
  const read = { count: ids.length, isMore: pages.more !== null };
  return (
    <div className={styles['medium']}>
      <ListTabs list={list} onList={onList}>
        {selected === null && !pages.query.isPending ? (
          <div className={styles['nothing']}>
            <Empty list={list} isSearch={isFiltered} />
          </div>
        ) : (
          <Pager
            place={selected === null ? -1 : ids.indexOf(selected)}
            total={counted && counted.count >= read.count ? counted : read}
            onStep={step}
            onShowList={() => setOpen(true)}
          />
        )}
      </ListTabs>
      {children}
      <Sheet title={texts[list]} isOpen={isOpen} onOpenChange={setOpen}>
        <List browsing={browsing} onChosen={() => setOpen(false)} />
      </Sheet>
    </div>
  );
}
