import { atOnce, forEach } from '../../src/api/concurrent-requests.ts';
import { type Candidate, sorted } from '../../src/pages/tickets/bulk/bulk.ts';

const candidate = (number: string, ...operations: string[]) =>
  ({
    ticket: { number, moves: operations.map((operation) => ({ operation })) },
    version: '"1"',
  }) as unknown as Candidate;

test('what the API does not allow of a ticket is not tried', () => {
  const { possible, impossible } = sorted(
    [candidate('T-1', 'assign'), candidate('T-2', 'close'), candidate('T-3')],
    'assign',
  );
  expect(possible.map(({ ticket, move }) => [ticket.number, move.operation])).toEqual([['T-1', 'assign']]);
  expect(impossible.map(({ number }) => number)).toEqual(['T-2', 'T-3']);
});

test('each is done once, some at a time', async () => {
  const done: number[] = [];
  const open: (() => void)[] = [];
  const all = forEach(
    Array.from({ length: 9 }, (_, index) => index),
    (item) =>
      new Promise((resolve) => {
        done.push(item);
        open.push(resolve);
      }),
  );
  expect(open).toHaveLength(atOnce);
  for (let next = 0; next < 9; next += 1) {
    open[next]?.();
    await new Promise(setImmediate);
  }
  await all;
  expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test('once it is over nothing more begins', async () => {
  const done: number[] = [];
  const work = async (item: number) => void done.push(item);
  await forEach([1, 2, 3, 4, 5, 6], work, () => done.length >= 2);
  expect(done.length).toBeLessThan(6);
});
