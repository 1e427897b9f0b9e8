import { readPage } from '../read-page.ts';

const list = async ({ limit, first }: { limit: number; first: string }) => [first, 'b', 'c'].slice(0, limit);

test.each([
  [1, ['a'], 'a'],
  [2, ['a', 'b'], 'b'],
  [3, ['a', 'b', 'c'], null],
  [4, ['a', 'b', 'c'], null],
])('a page of at most %i of three items is %j; the next one begins after %j', async (limit, items, nextCursor) => {
  expect(await readPage({ limit, first: 'a' }, list, (last) => last)).toEqual({ items, nextCursor });
});
