import { createRows } from '../row.ts';

/** A reset or a count that goes on until it is ended; `log` tells what has begun. */
function startRows() {
  const log: string[] = [];
  const open: (() => void)[] = [];
  const step = (name: string) => {
    log.push(name);
    return new Promise<void>((resolve) => open.push(resolve));
  };
  const rows = createRows((id) => step(`reset ${id}`));
  return {
    log,
    arrived: (id = 'a') => rows.arrived(id),
    exhausted: (name: string, id = 'a') =>
      rows.exhausted(
        id,
        () => step(`count ${name}`).then(() => 'counted'),
        async () => 'left',
      ),
    /** Ends what has begun first, and lets go on whatever waited for it. */
    async end() {
      open.shift()?.();
      await new Promise(setImmediate);
    },
  };
}

test('exhausted ones are counted one at a time, in their order', async () => {
  const rows = startRows();
  const both = Promise.all([rows.exhausted('1'), rows.exhausted('2')]);
  await rows.end();
  expect(rows.log).toEqual(['count 1']);
  await rows.end();
  expect(rows.log).toEqual(['count 1', 'count 2']);
  await rows.end();
  expect(await both).toEqual(['counted', 'counted']);
});

test('what arrives ends the row: after what is being counted, and instead of what waits', async () => {
  const rows = startRows();
  const first = rows.exhausted('1');
  await rows.end();
  const second = rows.exhausted('2');
  const arrived = rows.arrived();
  expect(await second).toBe('left');
  const third = rows.exhausted('3');
  await rows.end();
  expect(await first).toBe('counted');
  expect(rows.log).toEqual(['count 1', 'reset a']);
  await rows.end();
  await arrived;
  expect(rows.log).toEqual(['count 1', 'reset a', 'count 3']);
  await rows.end();
  expect(await third).toBe('counted');
});

test('many that arrive at once share a reset, but none that has begun before', async () => {
  const rows = startRows();
  const first = rows.arrived();
  await new Promise(setImmediate);
  const others = Promise.all([rows.arrived(), rows.arrived()]);
  await rows.end();
  await first;
  expect(rows.log).toEqual(['reset a', 'reset a']);
  await rows.end();
  await others;
  expect(rows.log).toHaveLength(2);
});

test('endpoints do not wait for each other', async () => {
  const rows = startRows();
  const all = Promise.all([rows.arrived('a'), rows.exhausted('1', 'b')]);
  await new Promise(setImmediate);
  expect(rows.log).toEqual(['reset a', 'count 1']);
  await rows.end();
  await rows.end();
  await all;
});

test('what fails is told to whom it belongs, and the next goes on', async () => {
  const rows = createRows(() => Promise.reject(new Error('no database')));
  const count = () => Promise.reject(new Error('no transaction'));
  const failed = [rows.arrived('a'), rows.exhausted('a', count, async () => 'left')];
  const after = rows.exhausted(
    'a',
    async () => 'counted',
    async () => 'left',
  );
  expect(await Promise.allSettled(failed)).toMatchObject([
    { status: 'rejected', reason: { message: 'no database' } },
    { status: 'rejected', reason: { message: 'no transaction' } },
  ]);
  expect(await after).toBe('counted');
});
