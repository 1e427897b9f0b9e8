import type { UserSnapshot } from '@app/contracts';

/** A user in replies. */
export type UserResponse = { _id: string; firstName: string; lastName: string; email: string; phone: string | null };

export function userResponse({ id, first_name, last_name, email, phone }: UserSnapshot): UserResponse {
  return { _id: id, firstName: first_name, lastName: last_name, email, phone };
}
