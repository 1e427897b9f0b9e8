import { conflict, retryOnConflict } from '../../mongo/retry-on-conflict.ts';

const options = { code: 'thing_busy', what: 'this thing' };

test('a conflicting attempt is repeated, and the first that succeeds gives the result', async () => {
  const numbers: number[] = [];
  const result = await retryOnConflict(async (number) => {
    numbers.push(number);
    return number < 2 ? conflict : 'written';
  }, options);
  expect(result).toBe('written');
  expect(numbers).toEqual([0, 1, 2]);
});

test('an attempt may return null', async () => {
  expect(await retryOnConflict(async () => null, options)).toBeNull();
});

test('after the last attempt the caller gets a busy error', async () => {
  const attempt = jest.fn(async () => conflict);
  const failed = retryOnConflict(attempt, { ...options, maxAttempts: 3 });
  await expect(failed).rejects.toMatchObject({ kind: 'overloaded', code: 'thing_busy' });
  expect(attempt).toHaveBeenCalledTimes(3);
});

test('an error of an attempt is not retried', async () => {
  const attempt = jest.fn(async () => Promise.reject(new Error('down')));
  await expect(retryOnConflict(attempt, options)).rejects.toThrow('down');
  expect(attempt).toHaveBeenCalledTimes(1);
});
