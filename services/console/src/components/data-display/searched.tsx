import { type ReactNode, useEffect } from 'react';
import { useFilter } from 'react-aria-components';
import type { usePages } from '../../api/pages.ts';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { anyText, useUrlState } from '../../routing/url-state.ts';
import { SettledSearch } from '../forms/field.tsx';
import { EmptyState } from '../states.tsx';
import { Paged } from './paged.tsx';
import styles from './table.module.css';

type SearchedProps<Item> = {
  list: ReturnType<typeof usePages<Item>>;
  /** The name of the search field. */
  label: string;
  /** What is searched of an item. */
  textsOf: (item: Item) => readonly (string | null | undefined)[];
  empty: ReactNode;
  children: (items: Item[]) => ReactNode;
};

/** Fewer are seen at a glance. */
const few = 10;

/** A list of `usePages` that the API cannot search: once something is searched, all of its pages are read. */
export function Searched<Item>({ list, label, textsOf, empty, children }: SearchedProps<Item>) {
  const texts = useFrameTexts();
  const [{ q = '' }, set] = useUrlState({ q: anyText });
  const { contains } = useFilter({ sensitivity: 'base' });
  const { more, isLoadingMore } = list;
  const isSearching = q !== '';
  useEffect(() => {
    if (isSearching && !isLoadingMore && !list.query.isError) more?.();
  });
  const found = isSearching
    ? list.items.filter((item) => textsOf(item).some((text) => contains(text ?? '', q)))
    : list.items;
  return (
    <>
      {(isSearching || list.items.length > few) && (
        <div className={styles['listSearch']}>
          <SettledSearch
            label={label}
            placeholder={label}
            value={q}
            onSearch={(text) => set({ q: text }, { replace: true })}
          />
        </div>
      )}
      <Paged
        list={{ ...list, items: found }}
        empty={isSearching ? <EmptyState title={more ? texts.loading : texts.goToNothing} /> : empty}
      >
        {children}
      </Paged>
    </>
  );
}
