import type { UserSnapshot } from '@app/contracts';

/** A user as reads show it (spec section 2.1: managers, contacts). */
export type UserView = { _id: string; firstName: string; lastName: string; email: string; phone: string | null };

export function userView({ id, first_name, last_name, email, phone }: UserSnapshot): UserView {
  return { _id: id, firstName: first_name, lastName: last_name, email, phone };
}
