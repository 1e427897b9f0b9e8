import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

const source = join(__dirname, '../src');

/** What `read` finds in the nodes of a file. */
function found(file: string, read: (node: Node) => string | undefined): string[] {
  const texts: string[] = [];
  const options = { syntax: 'typescript', tsx: file.endsWith('x'), target: 'es2024' } as const;
  JSON.stringify(parseSync(readFileSync(join(source, file), 'utf8'), options), (_key, node) => {
    const text = node?.type && read(node);
    if (text !== undefined) texts.push(text);
    return node;
  });
  return texts;
}

// biome-ignore lint/suspicious/noExplicitAny: a node of whatever type
type Node = { type: string } & Record<string, any>;

/** Literals and the parts of templates of a file, as they are shown. */
function textsOf(file: string): string[] {
  return found(file, ({ type, value, cooked }) =>
    type === 'StringLiteral' ? value : type === 'TemplateElement' ? cooked : undefined,
  );
}

test('French texts have U+202F before ; ? ! and U+00A0 before : and inside « »', () => {
  const texts = globSync('**/*.fr.ts', { cwd: source }).flatMap(textsOf);
  expect(texts.length).toBeGreaterThan(1_000);
  expect(texts.filter((text) => /[ \u00a0][;?!]|[ \u202f][:»]|«[ \u202f]/.test(text))).toEqual([]);
});

/**
 * The texts of the functions for a number, by name. Functions take numbers, or numbers as text, so
 * both are tried.
 */
function saidOf(texts: object, count: number): Record<string, string> {
  const said = Object.entries(texts).flatMap(([name, text]) => {
    if (typeof text !== 'function') return [];
    return [count, String(count)].map((given, n) => [`${name} ${n}`, shownBy(text, given)]);
  });
  return Object.fromEntries(said);
}

function shownBy(text: (...given: unknown[]) => unknown, given: unknown): string {
  try {
    return String(text(...Array(text.length).fill(given)));
  } catch {
    return 'takes something else';
  }
}

/** Words that both languages write alike. */
const sameWords = [
  ...'Action Actions Agenda Audit Base Client Code Contacts Ctrl Date Dates Description Document Documents Exports IBAN Maintenance'.split(
    ' ',
  ),
  ...'Menu Note Notifications Pages Permissions Photo Possible SIREN SIRET Secret Sessions Ticket Tickets Type URL Webhooks X-Service-Signature organisation permissions ticket'.split(
    ' ',
  ),
];

/** Texts that leave 0 out, or take no numbers. */
const withoutZero = ['filters 0', 'didWhat 0'];

test('0 is singular in French, as 1 is', async () => {
  const others: string[] = [];
  for (const file of globSync('**/texts.fr.ts', { cwd: source })) {
    const { fr } = (await import(join(source, file))) as { fr: object };
    const [none, one] = [saidOf(fr, 0), saidOf(fr, 1)];
    const isOther = ([name, text]: [string, string]) => text.replace(/(?<!\d)0(?!\d)/g, '1') !== one[name];
    others.push(...Object.entries(none).flatMap((said) => (isOther(said) ? said[0] : [])));
  }
  expect(others).toEqual(withoutZero);
});

const shownAttributes = ['label', 'title', 'aria-label', 'placeholder', 'alt', 'hint', 'description', 'confirm'];

/** A text of the page that is written in the code itself, and so is in one language only. */
function bareText({ type, value, name }: Node): string | undefined {
  const text =
    type === 'JSXText'
      ? value
      : type === 'JSXAttribute' && shownAttributes.includes(name.value) && value?.type === 'StringLiteral'
        ? value.value
        : '';
  const isAddress = /^https:|example\.com$/.test(text);
  return /\p{L}{2}/u.test(text) && !isAddress ? text.trim() : undefined;
}

test('pages have their texts from the catalogues of both languages', () => {
  const files = globSync('**/*.tsx', { cwd: source });
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((file) => found(file, bareText).map((text) => `${file}: ${text}`))).toEqual([]);
});

/** The texts that are the same in both catalogues, by their keys. */
function sameIn(english: unknown, french: unknown, key = ''): string[] {
  if (typeof english === 'string') return english === french && /\p{L}{3}/u.test(english) ? [`${key}: ${english}`] : [];
  if (typeof english !== 'object' || english === null) return [];
  const others = french as Record<string, unknown>;
  return Object.entries(english).flatMap(([name, text]) => sameIn(text, others[name], key ? `${key}.${name}` : name));
}

test('what is the same in English and in French is meant to be', async () => {
  const same: string[] = [];
  for (const file of globSync('**/texts.fr.ts', { cwd: source })) {
    const { en = {} } = await import(join(source, file.replace('.fr.', '.en.')));
    const { fr = {} } = await import(join(source, file));
    same.push(...sameIn(en, fr));
  }
  expect([...new Set(same.map((one) => one.replace(/^.*: /, '')))].sort()).toEqual(sameWords);
});

test('what the frame calls by two names in English has two in French: Cancel is not Undo', async () => {
  const { en } = await import(join(source, 'i18n/texts.en.ts'));
  const { fr } = await import(join(source, 'i18n/texts.fr.ts'));
  const keys = Object.keys(fr).filter((key) => typeof fr[key] === 'string');
  const alike = Object.values(Object.groupBy(keys, (key) => fr[key]));
  expect(alike.filter((same = []) => new Set(same.map((key) => en[key])).size > 1)).toEqual([]);
});
