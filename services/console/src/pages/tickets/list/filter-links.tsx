import { useSearch } from 'wouter';
import { FilterLinks } from '../../../session/saved-filters/filter-links.tsx';
import { useSavedFilters } from '../../../session/saved-filters/saved-filters.ts';
import { useSession } from '../../../session/session.ts';
import { countOf, listViewsOf, overdueIn } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import { useCounts } from '../tickets.ts';
import type { TicketFilter } from './ticket-filters.tsx';

/** Links to lists: the built-in views with their counts, and those that were saved. */
export function TicketFilterLinks({ filter }: { filter: TicketFilter }) {
  const texts = useTexts();
  const { company } = useSession();
  const { data: counts } = useCounts();
  const query = useSearch();
  const { byDefault } = useSavedFilters('tickets');
  const builtIn = listViewsOf(company.kind).map(([name, statuses]) => ({
    href: `/tickets?view=${name}`,
    isCurrent: query === `view=${name}`,
    text: texts.viewNames[name],
    ...(counts && { counted: countOf(statuses, counts) }),
  }));
  // Without a query it would lead to the default.
  const all = { href: byDefault ? '/tickets?view=all' : '/tickets', isCurrent: !filter.isSet, text: texts.allTickets };
  const counted = counts && overdueIn(counts);
  const overdue = {
    href: '/tickets?due=overdue',
    isCurrent: query === 'due=overdue',
    text: texts.deadlines.overdue,
    ...(counted && { counted }),
  };
  return <FilterLinks list="tickets" page="/tickets" links={[all, ...builtIn, overdue]} isSet={filter.isSet} />;
}
