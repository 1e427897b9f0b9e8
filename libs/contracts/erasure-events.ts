import Joi from 'joi';
import { defineEvent } from './define-event.ts';
import { id, isoDate } from './fields.ts';
import { type UserSnapshot, userSchema } from './identity-events.ts';

/** What stands for the name, address and phone number of a person who was erased. */
export type NeutralPerson = Pick<UserSnapshot, 'first_name' | 'last_name' | 'email' | 'phone'>;

/** Of the addresses of erased persons alone: nobody else's may end so, or a person could not be erased. It never exists (RFC 2606). */
export const erasedDomain = 'erased.invalid';

/** The address is unique, as addresses of users are. */
export function neutralPerson(userId: string): NeutralPerson {
  return { first_name: 'Erased', last_name: 'user', email: `${userId}@${erasedDomain}`, phone: null };
}

/** The user as it is now, with neutral values. Told again after a restore, it has the same effect. */
export type UserErased = { user: UserSnapshot; erased_at: string };

/** Who keeps names of users replaces them everywhere, and then says so by `userCopiesErased`. */
export const userErased = defineEvent<UserErased>(
  'user.erased.v1',
  Joi.object<UserErased, true>({
    user: userSchema.fork(['active', 'version'], (field) => field.required()).required(),
    erased_at: isoDate.required(),
  }),
);

/** `service` keeps nothing of this person any more, and will not. */
export type UserCopiesErased = { user_id: string; service: string };

export const userCopiesErased = defineEvent<UserCopiesErased>(
  'user.copies_erased.v1',
  Joi.object<UserCopiesErased, true>({ user_id: id.required(), service: Joi.string().required() }),
);
