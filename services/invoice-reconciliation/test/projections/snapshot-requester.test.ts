import { createSnapshotRequester } from '../../projections/snapshot-requester.ts';

const minutes = (count: number) => count * 60_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('a projection found unreadable while a request is valid is requested again after it, and no more after that', async () => {
  const asked: unknown[] = [];
  const request = async () => void asked.push('tickets', 'purchases');
  const requestOnce = createSnapshotRequester({ request, onError: (error) => expect(error).toBeUndefined() });
  await requestOnce();
  expect(asked).toHaveLength(2);
  await jest.advanceTimersByTimeAsync(minutes(9));
  await Promise.all([requestOnce(), requestOnce()]);
  expect(asked).toHaveLength(2);
  await jest.advanceTimersByTimeAsync(minutes(1));
  expect(asked).toHaveLength(4);
  await jest.advanceTimersByTimeAsync(minutes(60));
  expect(asked).toHaveLength(4);
});
