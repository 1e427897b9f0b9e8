/** Someone whom a note mentions. */
export type Mentioned = { id: string; name: string };

/** The text of a note in pieces: what is written, and whom it mentions, which the API has as `@[First Last](user:<id>)`. */
export function piecesOf(text: string): (string | Mentioned)[] {
  const found = text.split(/@\[([^[\]]+)\]\(user:([0-9a-f]{24})\)/);
  return found.flatMap((piece, index): (string | Mentioned)[] => {
    if (index % 3 === 0) return piece === '' ? [] : [piece];
    return index % 3 === 1 ? [{ name: piece, id: found[index + 1] ?? '' }] : [];
  });
}

/** What is typed as `@First Last`, as the API takes it: of names that begin alike, the longest is meant. */
export function withMentions(text: string, people: readonly Mentioned[]): string {
  const longestFirst = [...people].sort((one, other) => other.name.length - one.name.length);
  const [before, ...rest] = text.split('@');
  const mentions = rest.map((after) => {
    const meant = longestFirst.find(({ name }) => after.startsWith(name) && !isLetter(after.charAt(name.length)));
    return meant ? `[${meant.name}](user:${meant.id})${after.slice(meant.name.length)}` : after;
  });
  return [before, ...mentions].join('@');
}

/** A name that is being typed: where its `@` stands, and what of it is typed. */
export type Typed = { at: number; q: string };

const longestName = 40;
const mostSpaces = 2;

/** The name that is being typed at the end of this text; null: none is. */
export function typedName(text: string): Typed | null {
  const at = text.lastIndexOf('@');
  const q = text.slice(at + 1);
  if (at < 0 || q.length > longestName || q.split(' ').length > mostSpaces + 1 || /^\s|[[\]\n]/.test(q)) return null;
  // An e-mail address mentions nobody.
  return isLetter(text.charAt(at - 1)) ? null : { at, q };
}

function isLetter(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}
