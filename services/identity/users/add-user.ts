import { AppError } from '@app/kernel';
import type { Within } from '@app/runtime/idempotency';
import type { CompanyStore } from '../companies/company-store.ts';
import { maxUsersOfCompany, type User } from './user.ts';
import type { AddOptions, NewlyCreated, UserStore } from './user-store.ts';

export type AddUserDeps = { users: Pick<UserStore, 'add' | 'count'>; companies: Pick<CompanyStore, 'lockUsers'> };

/**
 * Saves a new user with all that `alongside` writes, unless the company has as many as it may have:
 * of two at once, the second counts the first.
 * @returns what `UserStore.add` does
 * @throws AppError conflict `email_taken`, `user_limit`
 */
export function addUser<T>(
  { users, companies }: AddUserDeps,
  created: NewlyCreated,
  { write, alongside }: AddOptions<T>,
): Promise<{ user: User; more: T }> {
  const { company_id: companyId } = created.user;
  const addWithin = async (within: Within) => {
    await companies.lockUsers(companyId, within);
    // The new one is among them.
    if ((await users.count(companyId, maxUsersOfCompany + 1, within)) > maxUsersOfCompany) {
      throw new AppError('conflict', 'user_limit', `a company has at most ${maxUsersOfCompany} users`);
    }
    return alongside(within);
  };
  return users.add<T>(created, { write, alongside: addWithin });
}
