import { lazy, type ReactNode, Suspense } from 'react';
import { ButtonLink } from '../../../components/button.tsx';
import { ExportButtons } from '../../../components/data-display/export-buttons.tsx';
import { SettledSearch } from '../../../components/forms/field.tsx';
import { Tabs } from '../../../components/layout/tabs.tsx';
import { EmptyState, Loaded } from '../../../components/states.tsx';
import { formatCounted } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import styles from '../bench/bench.module.css';
import { readWaiting, useCounts, type useInvoices } from '../data/invoice-queries.ts';
import { countsOfLists, type List, lists } from '../rules/invoice.ts';
import type { InvoiceFilter } from '../rules/invoice-filter.ts';
import { useTexts } from '../texts.ts';
import { InvoiceList } from './invoice-list.tsx';
import { ResyncFailed } from './resync-failed.tsx';

// The list of all invoices alone has them.
const InvoiceFilters = lazy(async () => ({ default: (await import('./invoice-filters.tsx')).InvoiceFilters }));

type ListsProps = { list: List; onList: (list: List) => void; children: ReactNode };

/** Tabs for the three lists with their counts, above the selected list. */
export function ListTabs({ list, onList, children }: ListsProps) {
  const texts = useTexts();
  const { data } = useCounts();
  const counts = data && countsOfLists(data);
  const tabs = lists.map((id) => ({ id, text: texts[id], counted: counts?.[id] }));
  return (
    <div className={styles['tabs']}>
      <Tabs label={texts.lists} tabs={tabs} selected={list} onSelect={onList}>
        {children}
      </Tabs>
    </div>
  );
}

type PaneProps = {
  list: List;
  search: string;
  onSearch: (search: string) => void;
  filter: InvoiceFilter;
  onFilter: (filter: InvoiceFilter) => void;
  pages: ReturnType<typeof useInvoices>;
  selected: string | null;
  onSelect: (id: string) => void;
};

export function ListPane({ list, search, onSearch, filter, onFilter, pages, selected, onSelect }: PaneProps) {
  const texts = useTexts();
  return (
    <div className={styles['listPane']}>
      <div className={styles['search']}>
        {list === 'all' ? (
          <>
            <SettledSearch label={texts.search} placeholder={texts.searchHint} value={search} onSearch={onSearch} />
            <Suspense fallback={null}>
              <InvoiceFilters search={search} filter={filter} onFilter={onFilter} />
            </Suspense>
          </>
        ) : (
          <ExportButtons name={texts[list]} read={(format) => readWaiting(list, format)} />
        )}
      </div>
      <Loaded query={pages.query} rows={8}>
        {() =>
          pages.items.length === 0 ? (
            <Empty list={list} isSearch={search !== '' || Object.keys(filter).length > 0} />
          ) : (
            <>
              {list === 'review' && <ResyncFailed items={pages.items} />}
              <InvoiceList
                list={list}
                selected={selected}
                onSelect={onSelect}
                items={pages.items}
                more={pages.more}
                isLoadingMore={pages.isLoadingMore}
              />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

/** For an empty list: what else there is to do. */
export function Empty({ list, isSearch }: { list: List; isSearch: boolean }) {
  const texts = useTexts();
  const { locale } = useLocale();
  const { data } = useCounts();
  if (isSearch) return <EmptyState title={texts.nothingFound} />;
  const counts = data && countsOfLists(data);
  const content = {
    queue: [texts.emptyQueue, texts.emptyQueueHint],
    review: [texts.emptyReview, texts.emptyReviewHint],
    all: [texts.emptyAll, texts.emptyAllHint],
  }[list];
  const next = !counts
    ? null
    : list === 'queue' && counts.review.count > 0
      ? {
          href: '/invoices?list=review',
          text: texts.seeReview(counts.review.count, formatCounted(counts.review, locale)),
        }
      : list === 'review' && counts.queue.count > 0
        ? { href: '/invoices', text: texts.seeQueue(counts.queue.count, formatCounted(counts.queue, locale)) }
        : counts.all.count === 0
          ? { href: '/connections', text: texts.setUpConnection }
          : null;
  return (
    <EmptyState title={content[0] ?? ''} action={next && <ButtonLink href={next.href}>{next.text}</ButtonLink>}>
      {content[1]}
    </EmptyState>
  );
}
