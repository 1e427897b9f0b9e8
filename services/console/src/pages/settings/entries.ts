import { useQuery } from '@tanstack/react-query';
import { allPages, pageQuery, usePages } from '../../api/pages.ts';
import { optional } from '../../api/query.ts';
import { useLocale } from '../../i18n/locale.tsx';
import { type KindName, kindOf } from './kinds.ts';

/** The entries of a kind with these words, page by page. A change of one makes both queries invalid by their key. */
export function useEntries(kind: KindName, q: string) {
  const { language } = useLocale();
  return usePages({
    key: ['settings', kind, language, q],
    read: (cursor, signal) =>
      kindOf(kind, language).read({ ...pageQuery(cursor, longPage), ...(q !== '' && { q }) }, signal),
  });
}

const longPage = 200;
const isNested = (kind: KindName) => kind !== 'jobs' && kind !== 'custom-fields';

/**
 * All entries, for a kind whose entries have parents: a parent may be on a page that is not loaded.
 */
export function useParents(kind: KindName) {
  const { language } = useLocale();
  return useQuery({
    queryKey: ['settings', kind, language, 'all'],
    queryFn: ({ signal }) => allPages((cursor) => kindOf(kind, language).read(pageQuery(cursor, longPage), signal)),
    enabled: isNested(kind),
    staleTime: 60_000,
    ...optional,
  });
}
