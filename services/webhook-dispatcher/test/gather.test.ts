import { createGathering } from '../gather.ts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function gathering() {
  const gathered = createGathering({ longestMs: 25, enough: 3 });
  const gone: string[] = [];
  return { gone, come: (...names: string[]) => void names.map((name) => gathered().then(() => gone.push(name))) };
}

test('who comes while another waits goes on with it', async () => {
  const { gone, come } = gathering();
  come('first');
  await jest.advanceTimersByTimeAsync(24);
  come('second');
  expect(gone).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(gone).toEqual(['first', 'second']);
});

test('enough of them wait no longer, and whoever comes next waits anew', async () => {
  const { gone, come } = gathering();
  come('a', 'b', 'c', 'd');
  await jest.advanceTimersByTimeAsync(0);
  expect(gone).toEqual(['a', 'b', 'c']);
  await jest.advanceTimersByTimeAsync(25);
  expect(gone).toEqual(['a', 'b', 'c', 'd']);
  expect(jest.getTimerCount()).toBe(0);
});
