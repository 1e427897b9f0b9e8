import { mentionedIn, mentionOf, plainText, withNames } from '../../notes/mention.ts';

const [ada, bob] = ['a'.repeat(24), 'b'.repeat(24)] as const;

test.each<[what: string, text: string, mentioned: [string, string][], read: string]>([
  ['nobody', 'Call ada@example.com, [see](user:x)', [], 'Call ada@example.com, [see](user:x)'],
  ['one', `Ask @[Ada Martin](user:${ada}).`, [[ada, 'Ada Martin']], 'Ask @Ada Martin.'],
  [
    'two, one of them twice',
    `@[Ada](user:${ada})@[Bob](user:${bob}) @[Ada](user:${ada})`,
    [
      [ada, 'Ada'],
      [bob, 'Bob'],
    ],
    '@Ada@Bob @Ada',
  ],
  ['one that begins twice', `@[x @[Ada](user:${ada})`, [[ada, 'Ada']], '@[x @Ada'],
  ['an id that is none', `@[Ada](user:${ada}0) @[Ada](user:A1)`, [], `@[Ada](user:${ada}0) @[Ada](user:A1)`],
])('a note that mentions %s', (_what, text, mentioned, read) => {
  expect([...mentionedIn(text)]).toEqual(mentioned);
  expect(plainText(text)).toBe(read);
});

test('a mention is read back as it was made, whatever the name holds', () => {
  for (const first_name of ['Ada', 'A[d](user:a)a', ']', '']) {
    const text = mentionOf({ id: ada, first_name, last_name: '' });
    expect([...mentionedIn(text).keys()]).toEqual([ada]);
  }
});

test('names are those of now, of whom they are known', () => {
  const users = new Map([[ada, { id: ada, first_name: 'Ada', last_name: '$1 Martin' }]]);
  expect(withNames(`@[The boss](user:${ada}) @[Bob](user:${bob})`, users)).toBe(
    `@[Ada $1 Martin](user:${ada}) @[Bob](user:${bob})`,
  );
});
