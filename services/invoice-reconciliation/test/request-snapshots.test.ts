import { createSnapshotRequester } from '../projections/snapshot-requester.ts';

const minutes = (count: number) => count * 60_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('a copy found unreadable while a request serves is asked for again after it, and no more after that', async () => {
  const asked: unknown[] = [];
  const request = async () => void asked.push('tickets', 'purchases');
  const askAgain = createSnapshotRequester({ request, onError: fail });
  await askAgain();
  expect(asked).toHaveLength(2);
  await jest.advanceTimersByTimeAsync(minutes(9));
  await Promise.all([askAgain(), askAgain()]);
  expect(asked).toHaveLength(2);
  await jest.advanceTimersByTimeAsync(minutes(1));
  expect(asked).toHaveLength(4);
  await jest.advanceTimersByTimeAsync(minutes(60));
  expect(asked).toHaveLength(4);
});
