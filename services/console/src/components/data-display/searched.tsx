import { type ReactNode, useEffect } from 'react';
import type { usePages } from '../../api/pages.ts';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { contains } from '../contains.ts';
import { SettledSearch } from '../forms/field.tsx';
import { EmptyState } from '../states.tsx';
import { Paged } from './paged.tsx';
import styles from './table.module.css';

type SearchedProps<Item> = {
  list: ReturnType<typeof usePages<Item>>;
  /** The name of the search field. */
  label: string;
  q: string;
  onSearch: (text: string) => void;
  /** What is searched of an item. */
  textsOf: (item: Item) => readonly (string | null | undefined)[];
  empty: ReactNode;
  children: (items: Item[]) => ReactNode;
};

/** Fewer are seen at a glance. */
const few = 10;

/** A list of `usePages` that the API cannot search: once something is searched, all of its pages are read. */
export function Searched<Item>({ list, label, q, onSearch, textsOf, empty, children }: SearchedProps<Item>) {
  const texts = useFrameTexts();
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
          <SettledSearch label={label} placeholder={label} value={q} onSearch={onSearch} />
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
