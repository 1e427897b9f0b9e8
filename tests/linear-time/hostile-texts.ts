/** Makes a text of a given length that a parser may be slow on. */
export type Shape = { name: string; make: (length: number) => string };

const ends = ['', '\u0001', 'A', '0'];

/** Repeated pieces of references, amounts, dates, names, headers and addresses. */
const units = [
  ...'09AaN \n\u00a0-_.,:/%="(<°é\ud800',
  'BC-',
  'N° ',
  'REF: ',
  'PO/',
  '000-',
  '0 ',
  '12/10/2026 ',
  'RM 1 ',
  '123456789 ',
  'ticket n° ',
  '1.',
  '::',
  '/a',
  '%2e',
];

/** Texts for every parser. */
export const shapes: Shape[] = [
  ...units.map((unit) => repeated(unit, '\u0001')),
  ...['0', ' ', '-', '/', 'A'].flatMap((unit) => ['', 'A', '0'].map((end) => repeated(unit, end))),
  ...['BC-', 'bytes=', 'bearer ', 't=', 'https://a.example/'].map((start) => repeated('0', '\u0001', start)),
];

/** Texts that this pattern may be slow on: runs, pairs and alternations of its characters after its own beginning. */
export function shapesFor({ source }: RegExp): Shape[] {
  const named = charactersOf(source);
  const start = /^\^?((?:\\?[\w /:=-])*?)(?=[\\[(.^$|+*?{]|$)/.exec(source)?.[1]?.replaceAll('\\', '') ?? '';
  const runs = [...named, ...wordsOf(source)].flatMap((unit) => ends.map((end) => repeated(unit, end)));
  const begun = start === '' ? [] : named.flatMap((unit) => ['', '\u0001'].map((end) => repeated(unit, end, start)));
  const paired = named.slice(0, mostPaired);
  const pairs = paired.flatMap((one) => paired.filter((other) => other !== one).map((other) => [one, other] as const));
  const mixed = pairs.flatMap(([one, other]) => [
    repeated(one + other, '\u0001'),
    {
      name: `runs of ${JSON.stringify(one)} and ${JSON.stringify(other)}`,
      make: (length: number) => `${one.repeat(length / 2)}${other.repeat(length / 2)}\u0001`,
    },
  ]);
  return [...runs, ...begun, ...mixed];
}

function repeated(unit: string, end: string, start = ''): Shape {
  return {
    name: `${JSON.stringify(start)}, then ${JSON.stringify(unit)} again and again, then ${JSON.stringify(end)}`,
    make: (length) => `${start}${unit.repeat(Math.ceil(length / unit.length))}${end}`,
  };
}

const classes: Record<string, string> = {
  d: '0',
  w: 'a',
  s: ' ',
  D: '-',
  W: '-',
  S: 'a',
  t: '\t',
  n: '\n',
  r: '\r',
  0: '\0',
};
const mostNamed = 8;
const mostPaired = 5;

/** One character of each kind in the pattern. */
function charactersOf(source: string): string[] {
  const tokens = source
    .replace(/\{\d*,?\d*\}/g, '')
    .match(/\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[pP]\{\w+\}|\\.|\[\^|[^()[\]{}?*+|^$]/giu);
  return [...new Set((tokens ?? []).map(characterOf))].slice(0, mostNamed);
}

function characterOf(token: string): string {
  const [, hex] = /^\\[ux]\{?([0-9a-f]+)\}?$/i.exec(token) ?? [];
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
  if (token === '[^') return '!';
  if (token === '.') return 'x';
  if (/^\\[pP]/.test(token)) return '\u0301';
  return token.startsWith('\\') ? (classes[token.charAt(1)] ?? token.charAt(1)) : token;
}

function wordsOf(source: string): string[] {
  return [...new Set(source.replace(/\\./g, ' ').match(/[A-Za-z]{2,}/g) ?? [])].slice(0, mostNamed);
}
