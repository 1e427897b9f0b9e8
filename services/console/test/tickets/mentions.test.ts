import { piecesOf, typedName, withMentions } from '../../src/pages/tickets/timeline/mentions.ts';

const [ada, ann] = ['a'.repeat(24), 'b'.repeat(24)] as const;
const people = [
  { id: ada, name: 'Ann' },
  { id: ann, name: 'Ann Marie' },
];

test.each([
  ['Hello', 'Hello'],
  ['@Ann, see @Ann Marie. @Ann', `@[Ann](user:${ada}), see @[Ann Marie](user:${ann}). @[Ann](user:${ada})`],
  ['@Anna @Bob ann@Ann', `@Anna @Bob ann@[Ann](user:${ada})`],
  [`@[Ann](user:${ada})`, `@[Ann](user:${ada})`],
])('%j is sent as %j', (text, sent) => {
  expect(withMentions(text, people)).toBe(sent);
});

test('a note is shown with the names of whom it mentions', () => {
  expect(piecesOf('Hello @Ann')).toEqual(['Hello @Ann']);
  expect(piecesOf(`Ask @[Ann](user:${ada})@[Bob](user:${ann})!`)).toEqual([
    'Ask ',
    { name: 'Ann', id: ada },
    { name: 'Bob', id: ann },
    '!',
  ]);
});

test.each([
  ['@', { at: 0, q: '' }],
  ['Ask @Éli', { at: 4, q: 'Éli' }],
  ['Ask (@Jean Marc Le', { at: 5, q: 'Jean Marc Le' }],
  ['Ask @Jean Marc Le G', null],
  ['ada@example', null],
  ['@Ann\nthen', null],
  ['@ then', null],
  ['nobody', null],
])('at the end of %j a name is typed: %j', (text, typed) => {
  expect(typedName(text)).toEqual(typed);
});
