import type { ReactNode } from 'react';
import type { usePages } from '../../api/pages.ts';
import { Loaded } from '../states.tsx';
import { LoadMore } from './load-more.tsx';

type PagedProps<Item> = {
  list: ReturnType<typeof usePages<Item>>;
  /** Shown if the list is empty; a page of it may be, of what has changed since it was found. */
  empty: ReactNode;
  children: (items: Item[]) => ReactNode;
};

/** Shows a list of `usePages`: loading, failed, empty, or the items with a button for more. */
export function Paged<Item>({ list, empty, children }: PagedProps<Item>) {
  return (
    <Loaded query={list.query}>
      {() =>
        list.items.length === 0 && !list.more ? (
          empty
        ) : (
          <div>
            {children(list.items)}
            <LoadMore more={list.more} isLoading={list.isLoadingMore} />
          </div>
        )
      }
    </Loaded>
  );
}
