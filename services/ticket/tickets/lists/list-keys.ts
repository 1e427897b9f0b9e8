import { withPlainDashes } from '@app/kernel';
import { isLive, type Ticket, type View } from '../ticket.ts';

/**
 * The keys that lists find a ticket by, stored with it: words of title and number for each company that sees it, and
 * the filter values of each view. Both are derived from the ticket; rules never see them
 * (docs/decisions/ticket-lists.md).
 */
export type ListKeys = { search: string[] };

/** Limit of the words of a title, since every key costs a write: further words are not found. */
const maxWords = 12;
/** Lengths of the prefixes that are keys. A longer search word is cut to the next shorter one. */
const beginnings = [3, 4, 5, 6, 8, 12];
const maxCodeLength = 24;

/** Keys of company and word, so that one index serves every tenant's search in order of ids. */
export function searchKeys({ views, title, number }: Pick<Ticket, 'views' | 'title' | 'number'>): string[] {
  const words = [...numberWords(number), ...new Set(wordsIn(title).flatMap(withParts))].slice(0, maxWords + 3);
  const keys = [...new Set(words.flatMap(keysOf))];
  const companies = [...new Set(views.flatMap(({ company_id }) => company_id ?? []))];
  return companies.flatMap((company) => keys.map((key) => company + key));
}

/**
 * The keys that a ticket must have to match all words of a search, the most selective one first; empty if the text
 * has no words.
 */
export function searchedKeys(text: string, companyId: string): string[] {
  const keys = wordsIn(text).map((word) => companyId + (keysOf(word.replace('-', '')).at(-1) ?? ''));
  return [...new Set(keys)].sort((one, other) => other.length - one.length);
}

/** The values by which a company can filter its list. Contractors get none that would reveal their competitors. */
type Facets = {
  contractor_id?: string;
  equipment_id?: string;
  location_id?: string;
  manager_id?: string;
  priority?: string;
};

/** The keys of these filters, the most selective one first. */
export function facetKeys({ contractor_id, equipment_id, location_id, manager_id, priority }: Facets): string[] {
  return [
    ...(equipment_id ? [`e${equipment_id}`] : []),
    ...(location_id ? [placeKey(location_id)] : []),
    ...(manager_id ? [`m${manager_id}`] : []),
    ...(contractor_id ? [`c${contractor_id}`] : []),
    ...(priority ? [`p${priority}`] : []),
  ];
}

/** The filter value of a place. */
export function placeKey(locationId: string): string {
  return `l${locationId}`;
}

type Filtered = Pick<Ticket, 'views' | 'equipment_ids' | 'location_ids' | 'manager_ids' | 'priority'>;

/** The keys of one view: the client's also has the contractors that have the ticket, or a proposal of it. */
export function facetsOf(ticket: Filtered, view: View): string[] {
  const { views, equipment_ids, location_ids, manager_ids, priority } = ticket;
  const contractors =
    view.role === 'client' ? views.filter((other) => other.role === 'contractor' && isLive(other)) : [];
  return [
    `p${priority}`,
    ...equipment_ids.map((id) => `e${id}`),
    ...location_ids.map(placeKey),
    ...manager_ids.map((id) => `m${id}`),
    ...contractors.map(({ contractor_id }) => `c${contractor_id}`),
  ];
}

/** The words of a text, without case and accents. `T-000042` is one word. */
function wordsIn(text: string): string[] {
  const plain = withPlainDashes(text)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  const spelled = plain.replaceAll('œ', 'oe').replaceAll('æ', 'ae').replaceAll('ß', 'ss');
  return spelled.match(/\p{L}+-\p{N}+|[\p{L}\p{N}]+/gu) ?? [];
}

/** The word and its parts: letters and digits are also found alone. */
function withParts(word: string): string[] {
  return word.includes('-') ? [word.replace('-', ''), ...word.split('-')] : [word];
}

/** The words of a number: `T-000042`, `000042` and `42`. */
function numberWords(number: string): string[] {
  const words = wordsIn(number).flatMap((word) => [word.replace('-', ''), word.split('-').at(-1) ?? '']);
  return [...new Set([...words, ...words.map((word) => word.replace(/^0+(?=\d)/, ''))])];
}

/** The keys of a word, the longest last: prefixes, or the whole word if it has a digit or fewer than three letters. */
function keysOf(word: string): string[] {
  const letters = [...word];
  if (/\p{N}/u.test(word) || letters.length < 3) return [letters.slice(0, maxCodeLength).join('')];
  return beginnings.filter((length) => length <= letters.length).map((length) => letters.slice(0, length).join(''));
}
