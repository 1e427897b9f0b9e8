import type { UserSnapshot } from '@app/contracts';

/** A user in replies. */
export type UserView = { _id: string; firstName: string; lastName: string; email: string; phone: string | null };

export function userView({ id, first_name, last_name, email, phone }: UserSnapshot): UserView {
  return { _id: id, firstName: first_name, lastName: last_name, email, phone };
}
