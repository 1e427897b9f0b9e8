import type { Caller, UserSnapshot } from '@app/contracts';
import { type FieldError, hasAll, searchWords, ValidationError, wordsSearched } from '@app/kernel';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import type { CompanyProjections } from '../companies/company-projection-store.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { mentionedIn, withNames } from './mention.ts';
import { isForColleague, type NoteType } from './note.ts';

/** Of a note. */
export const maxMentions = 20;
const maxFound = 10;
/** Of a company's users, who are looked through for a name. */
const maxColleagues = 1_000;

export type MentionDeps = {
  companies: Pick<CompanyDirectory, 'users'>;
  projections: Pick<CompanyProjections, 'listUsers'>;
  referentials: Pick<ReferentialStore, 'withAbove'>;
};

/** A note of this type that the caller writes. */
type Where = { ticket: Ticket; caller: Caller; type: NoteType };

/**
 * The text with the names that the mentioned people have. Only colleagues of the author who may read the note can be mentioned:
 * to choose among the other party's people, one would have to learn who they are, and a competing contractor may read it later.
 * @throws ValidationError at `note`
 */
export async function checkedMentions(deps: MentionDeps, where: Where & { token: string }, text: string) {
  const mentioned = mentionedIn(text);
  if (mentioned.size === 0) return text;
  if (mentioned.size > maxMentions) throw new ValidationError([faultAt(`more than ${maxMentions} people`)]);
  const users = await deps.companies.users(where.caller.companyId, [...mentioned.keys()], where.token);
  const obstacle = await obstacles(deps, where, [...users.values()]);
  const faults = [...mentioned].flatMap(([id, name]) => {
    const user = users.get(id);
    const why = user ? obstacle(user) : 'who is no active user of your company';
    return why === null ? [] : [faultAt(`${name}, ${why}`)];
  });
  if (faults.length > 0) throw new ValidationError(faults);
  return withNames(text, users);
}

/** Whom such a note may mention, of those whose names have the words of `q`, each from its beginning on; by name, at most ten. */
export async function mentionable(deps: MentionDeps, where: Where, q: string): Promise<UserSnapshot[]> {
  const colleagues = await deps.projections.listUsers(where.caller.companyId, { limit: maxColleagues });
  const words = wordsSearched(q);
  const found = colleagues.filter((user) => hasAll(searchWords(nameOf(user)), words));
  const obstacle = await obstacles(deps, where, found);
  const free = found.filter((user) => obstacle(user) === null);
  return free.sort((one, other) => nameOf(one).localeCompare(nameOf(other))).slice(0, maxFound);
}

/** Why an active colleague may not be mentioned; null: they may. */
async function obstacles({ referentials }: MentionDeps, { ticket, caller, type }: Where, users: UserSnapshot[]) {
  const isAnyLimited = users.some(({ place_ids }) => place_ids);
  const places = isAnyLimited ? (await referentials.withAbove(caller.companyId, ticket.location_ids)).flat() : [];
  return ({ id: userId, permissions, place_ids }: UserSnapshot): string | null => {
    const isPermitted = permissions.includes('tickets') || permissions.includes('admin');
    if (!isPermitted || place_ids?.some((id) => places.includes(id)) === false) return 'who does not see this ticket';
    return isForColleague(type, ticket, { userId, permissions }) ? null : 'who does not read notes for managers';
  };
}

function nameOf({ first_name, last_name }: UserSnapshot): string {
  return `${first_name} ${last_name}`;
}

function faultAt(what: string): FieldError {
  return { path: 'note', message: `note mentions ${what}` };
}
