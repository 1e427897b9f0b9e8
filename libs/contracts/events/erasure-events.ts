import Joi from 'joi';
import { defineEvent } from '../define-event.ts';
import { id, isoDate } from '../fields.ts';
import { type UserSnapshot, userSchema } from './identity-events.ts';

/** The values that replace the name, e-mail address and phone number of an erased person. */
type NeutralPerson = Pick<UserSnapshot, 'first_name' | 'last_name' | 'email' | 'phone'>;

/**
 * The domain of erased persons' addresses. No other address may end so, or that person could not be erased. The
 * domain never exists (RFC 2606).
 */
export const erasedDomain = 'erased.invalid';

/** The neutral values of a user. The e-mail address has the id in it, since addresses of users are unique. */
export function neutralPerson(userId: string): NeutralPerson {
  return { first_name: 'Erased', last_name: 'user', email: `${userId}@${erasedDomain}`, phone: null };
}

/** A user was erased; `user` has the neutral values. Publishing it again, after a restore, has the same effect. */
export type UserErased = { user: UserSnapshot; erased_at: string };

/** Every service that keeps names of users replaces them, and then publishes `userCopiesErased`. */
export const userErased = defineEvent<UserErased>(
  'user.erased.v1',
  Joi.object<UserErased, true>({
    user: userSchema.fork(['active', 'version'], (field) => field.required()).required(),
    erased_at: isoDate.required(),
  }),
);

/** `service` has erased all that it kept of this person, and stores nothing of them again. */
type UserCopiesErased = { user_id: string; service: string };

export const userCopiesErased = defineEvent<UserCopiesErased>(
  'user.copies_erased.v1',
  Joi.object<UserCopiesErased, true>({ user_id: id.required(), service: Joi.string().required() }),
);
