import { isLive, type Ticket, type View } from './ticket.ts';

/**
 * What lists find a ticket by, stored with it: words of title and number for each company that sees it, and for each view what can
 * be filtered by. Both come from the ticket alone; rules never see them (docs/decisions/0141-list-keys.md).
 */
export type ListKeys = { search: string[] };

/** Every key of a word is a write: more words of a title than these are not found. */
const maxWords = 12;
/** How many letters of a word are keys. A longer beginning is cut to the next of these. */
const beginnings = [3, 4, 5, 6, 8, 12];
const maxCodeLength = 24;

/** By company and word, so that one index serves every tenant's search in order of ids. */
export function searchKeys({ views, title, number }: Pick<Ticket, 'views' | 'title' | 'number'>): string[] {
  const words = [...numberWords(number), ...new Set(wordsIn(title).flatMap(withParts))].slice(0, maxWords + 3);
  const keys = [...new Set(words.flatMap(keysOf))];
  const companies = [...new Set(views.flatMap(({ company_id }) => company_id ?? []))];
  return companies.flatMap((company) => keys.map((key) => company + key));
}

/** The keys that a ticket must have to match all words of a search, the most telling one first; none: it names no word. */
export function searchedKeys(text: string, companyId: string): string[] {
  const keys = wordsIn(text).map((word) => companyId + (keysOf(word.replace('-', '')).at(-1) ?? ''));
  return [...new Set(keys)].sort((one, other) => other.length - one.length);
}

/** What one company can filter its list by; a contractor by nothing that tells of its competitors. */
export type Facets = { contractor_id?: string; location_id?: string; manager_id?: string; priority?: string };

/** The most telling one first. */
export function facetKeys({ contractor_id, location_id, manager_id, priority }: Facets): string[] {
  return [
    ...(location_id ? [`l${location_id}`] : []),
    ...(manager_id ? [`m${manager_id}`] : []),
    ...(contractor_id ? [`c${contractor_id}`] : []),
    ...(priority ? [`p${priority}`] : []),
  ];
}

type Filtered = Pick<Ticket, 'views' | 'location_ids' | 'manager_ids' | 'priority'>;

/** The keys of one view: the client's also has the contractors that have the ticket, or a proposal of it. */
export function facetsOf({ views, location_ids, manager_ids, priority }: Filtered, view: View): string[] {
  const contractors =
    view.role === 'client' ? views.filter((other) => other.role === 'contractor' && isLive(other)) : [];
  return [
    `p${priority}`,
    ...location_ids.map((id) => `l${id}`),
    ...manager_ids.map((id) => `m${id}`),
    ...contractors.map(({ contractor_id }) => `c${contractor_id}`),
  ];
}

/** Without case and accents. `T-000042` is one word. */
function wordsIn(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  const spelled = plain.replaceAll('œ', 'oe').replaceAll('æ', 'ae').replaceAll('ß', 'ss');
  return spelled.match(/\p{L}+-\p{N}+|[\p{L}\p{N}]+/gu) ?? [];
}

/** A word of letters and digits is found by each of them too. */
function withParts(word: string): string[] {
  return word.includes('-') ? [word.replace('-', ''), ...word.split('-')] : [word];
}

/** `T-000042` is found by itself, by 000042 and by 42. */
function numberWords(number: string): string[] {
  const words = wordsIn(number).flatMap((word) => [word.replace('-', ''), word.split('-').at(-1) ?? '']);
  return [...new Set([...words, ...words.map((word) => word.replace(/^0+(?=\d)/, ''))])];
}

/** Words are found by their beginning, what holds a digit as a whole. The last key is the longest. */
function keysOf(word: string): string[] {
  const letters = [...word];
  if (/\p{N}/u.test(word) || letters.length < 3) return [letters.slice(0, maxCodeLength).join('')];
  return beginnings.filter((length) => length <= letters.length).map((length) => letters.slice(0, length).join(''));
}
