const mention = /@\[([^[\]]+)\]\(user:([0-9a-f]{24})\)/g;

type Named = { first_name: string; last_name: string };

/** How the text of a note mentions a user: `@[First Last](user:<id>)`. */
export function mentionOf({ id, ...names }: Named & { id: string }): string {
  // A bracket would end it.
  const name = `${names.first_name} ${names.last_name}`.replace(/[[\]]/g, ' ').trim();
  return `@[${name || '-'}](user:${id})`;
}

/** The ids of the people whom the text mentions, each once, with the names that it gives them. */
export function mentionedIn(text: string): Map<string, string> {
  return new Map([...text.matchAll(mention)].map(([, name = '', id = '']) => [id, name]));
}

/** The text with the names that these people have now; others keep theirs. */
export function withNames(text: string, users: ReadonlyMap<string, Named & { id: string }>): string {
  return text.replace(mention, (written, _name, id) => {
    const user = users.get(id);
    return user ? mentionOf(user) : written;
  });
}

/** The text as people read it: `@First Last`. */
export function plainText(text: string): string {
  return text.replace(mention, '@$1');
}
