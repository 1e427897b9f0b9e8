import type { DomainEvent } from '@app/contracts';
import { testLogger } from '@app/testing';
import { createSnapshotRequester } from '../projections/request-snapshots.ts';

const minutes = (count: number) => count * 60_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('a copy found unreadable while a request serves is asked for again after it, and no more after that', async () => {
  const asked: unknown[] = [];
  const publish = async (events: DomainEvent[]) => void asked.push(...events);
  const askAgain = createSnapshotRequester({ broker: { publish }, logger: testLogger() });
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
