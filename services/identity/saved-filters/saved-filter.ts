import type { Caller, Permission } from '@app/contracts';
import { AppError } from '@app/kernel';

/** The lists, each with the permission that it needs. */
export const filteredLists = { tickets: 'tickets', invoices: 'accounting' } as const satisfies Record<string, Permission>;
export type FilteredList = keyof typeof filteredLists;

/** A filter of a list under a name. `query`: of the address of the page that shows the list. */
export type SavedFilter = {
  id: string;
  company_id: string;
  user_id: string;
  list: FilteredList;
  name: string;
  query: string;
  /** Whether the others of the company see it. */
  shared: boolean;
};

export type SavedFilterInput = Pick<SavedFilter, 'name' | 'query' | 'shared'>;

/** Of one user for one list, and of a company: what it shares for one list. */
export const maxOwn = 20;
export const maxShared = 100;

/** What is shared belongs to who saved it. @throws AppError forbidden `saved_filter_of_another` */
export function permitChange({ userId, permissions }: Caller, { user_id }: SavedFilter): void {
  if (user_id === userId || permissions.includes('admin')) return;
  throw new AppError('forbidden', 'saved_filter_of_another', 'who saved this filter changes it, or an admin');
}

export function savedFilterResponse({ id, name, query, shared, user_id }: SavedFilter, { userId }: Caller) {
  return { id, name, query, shared, mine: user_id === userId };
}
