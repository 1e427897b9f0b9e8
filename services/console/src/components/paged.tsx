import type { ReactNode } from 'react';
import type { usePages } from '../api/pages.ts';
import { Loaded } from './states.tsx';
import { More } from './table.tsx';

type PagedProps<Item> = {
  list: ReturnType<typeof usePages<Item>>;
  /** Shown if the list has nothing. */
  empty: ReactNode;
  children: (items: Item[]) => ReactNode;
};

/** A list of `usePages`: that it loads, why it failed, that there is nothing, or what there is and a button for more. */
export function Paged<Item>({ list, empty, children }: PagedProps<Item>) {
  return (
    <Loaded query={list.query}>
      {() =>
        list.items.length === 0 ? (
          empty
        ) : (
          <div>
            {children(list.items)}
            <More more={list.more} isLoading={list.isLoadingMore} />
          </div>
        )
      }
    </Loaded>
  );
}
