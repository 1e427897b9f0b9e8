import { conflict, retryOnConflict } from '../retry-on-conflict.ts';

const options = { code: 'thing_busy', what: 'this thing' };

test('an attempt that loses is made again, and the first that wins gives the result', async () => {
  const numbers: number[] = [];
  const result = await retryOnConflict(async (number) => {
    numbers.push(number);
    return number < 2 ? conflict : 'written';
  }, options);
  expect(result).toBe('written');
  expect(numbers).toEqual([0, 1, 2]);
});

test('what an attempt returns may be null', async () => {
  expect(await retryOnConflict(async () => null, options)).toBeNull();
});

test('after the last attempt the caller hears that it is busy', async () => {
  const attempt = jest.fn(async () => conflict);
  const failed = retryOnConflict(attempt, { ...options, maxAttempts: 3 });
  await expect(failed).rejects.toMatchObject({ kind: 'overloaded', code: 'thing_busy' });
  expect(attempt).toHaveBeenCalledTimes(3);
});

test('what an attempt throws is not tried again', async () => {
  const attempt = jest.fn(async () => Promise.reject(new Error('down')));
  await expect(retryOnConflict(attempt, options)).rejects.toThrow('down');
  expect(attempt).toHaveBeenCalledTimes(1);
});
