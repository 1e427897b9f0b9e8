import { decodePosition, encodePosition, indexFields, type List, listPlan, sortColumns } from '../../index.ts';

const list = {
  tenant: 'client_id',
  columns: {
    createdAt: { path: 'created_at', type: 'moment', from: 'from', to: 'to' },
    state: { path: 'state', type: 'enum', values: ['new', 'done'], equals: 'state' },
    owner: { path: 'owner_id', type: 'id', equals: 'owner' },
    due: { path: 'read.due', type: 'date', from: 'dueFrom', to: 'dueTo', optional: true },
    note: { path: 'note', type: 'text', equals: 'note' },
  },
  indexes: [
    { name: 'states', equal: ['state'], order: 'createdAt' },
    { name: 'ofOwner', equal: ['owner', 'state'], order: 'createdAt', covers: ['note'] },
    { name: 'due', order: 'due' },
  ],
} as const satisfies List;

const byCreation = { by: 'createdAt', descending: true };
const byDue = { by: 'due', descending: false };

test('its indexes begin with the company, and end with the id and what they cover', () => {
  expect(indexFields(list).map(({ name, fields }) => [name, Object.keys(fields)])).toEqual([
    ['states', ['client_id', 'state', 'created_at', '_id']],
    ['ofOwner', ['client_id', 'owner_id', 'state', 'created_at', '_id', 'note']],
    ['due', ['client_id', 'read.due', '_id']],
  ]);
  expect(sortColumns(list)).toEqual(['createdAt', 'due']);
});

test.each([
  ['the order alone', {}, byCreation, 'states', []],
  ['the order and a filter that its index begins with', { owner: 'a' }, byCreation, 'ofOwner', []],
  ['a filter that another index finds', { owner: 'a' }, byDue, 'due', ['ofOwner']],
  ['a range of the order', { dueFrom: '2026-01-01' }, byDue, 'due', []],
  ['a range of another index', { dueFrom: '2026-01-01' }, byCreation, 'states', ['due']],
  ['a filter that no index has', { note: 'x' }, byDue, 'due', []],
])('%s names the index that reads it in order, and those that may find less', (_what, given, sort, hint, others) => {
  const plan = listPlan(list, 'c', { given, sort });
  expect([plan.hint, plan.others.map((other) => other.hint)]).toEqual([hint, others]);
  for (const { filter } of [plan, ...plan.others]) expect(filter).toHaveProperty('client_id', 'c');
});

test('what is not declared filters nothing', () => {
  expect(listPlan(list, 'c', { given: { client_id: 'd', $where: '1' }, sort: byDue }).filter).toEqual({
    client_id: 'c',
  });
});

test('a list sorts by what an index has in order, and by nothing else', () => {
  expect(() => listPlan(list, 'c', { given: {}, sort: { by: 'note', descending: false } })).toThrow(
    'the list sorts by createdAt, due, and not by note',
  );
});

test.each([
  ['no JSON', 'x'],
  ['no list', '{}'],
  ['an operator as its value', '["due",false,{"$gt":""},"1"]'],
  ['an operator as its id', '["due",false,null,{"$gt":""}]'],
  ['a moment that is none', '["createdAt",true,{"ms":"x"},"1"]'],
  ['another sort', '["due",true,null,"1"]'],
])('a position with %s is none', (_what, text) => {
  const encoded = Buffer.from(text).toString('base64url');
  expect([byDue, byCreation].map((sort) => decodePosition(list, sort, encoded))).toEqual([null, null]);
});

test('a position is read as it was written', () => {
  const position = { value: new Date(5), id: 'x' };
  expect(decodePosition(list, byCreation, encodePosition(byCreation, position))).toEqual(position);
});
