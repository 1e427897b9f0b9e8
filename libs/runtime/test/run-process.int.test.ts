import { eventually } from '@app/testing';
import { type Program, runProgram } from './program.ts';

const programs: Program[] = [];
afterEach(() => {
  // Those that a failed test left behind.
  for (const { child } of programs.splice(0)) child.kill('SIGKILL');
});

function run(...args: string[]): Program {
  const program = runProgram('process.ts', args);
  programs.push(program);
  return program;
}

const messages = (program: Program) => program.lines().map(({ message }) => message);
const undone = (program: Program) =>
  program
    .lines()
    .filter(({ message }) => message === 'undone')
    .map(({ part }) => part);

async function started(...args: string[]): Promise<Program> {
  const program = run(...args);
  await eventually(() => expect(messages(program)).toContain('ready'));
  return program;
}

const drains = (delayMs: number) => ['usual', 'soon', String(delayMs)];

test.each([
  ['SIGTERM', 'without a drain delay', ['usual']],
  ['SIGINT', 'waiting for no drain delay', drains(3_600_000)],
] as const)(
  '%s, %s, undoes in reverse order what was started, also if a part cannot be stopped, and ends with 0',
  async (signal, _delay, args) => {
    const program = await started(...args);
    program.child.kill(signal);
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(undone(program)).toEqual(['third', 'second', 'first']);
    const message = 'part of the process could not shut down cleanly';
    expect(program.lines()).toContainEqual(expect.objectContaining({ level: 'warn', message, part: 'third' }));
    expect(program.lines().at(-1)).toMatchObject({ message: 'stopped', reason: signal });
  },
);

test('after SIGTERM nothing is stopped before the drain delay is over', async () => {
  const program = await started(...drains(300));
  const before = performance.now();
  program.child.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - before).toBeGreaterThan(295);
  expect(undone(program)).toEqual(['third', 'second', 'first']);
});

test('a second signal ends the drain delay', async () => {
  const program = await started(...drains(3_600_000));
  program.child.kill('SIGTERM');
  await eventually(() => expect(messages(program)).toContain('draining'));
  expect(undone(program)).toEqual([]);
  program.child.kill('SIGINT');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(undone(program)).toEqual(['third', 'second', 'first']);
});

test('a service whose parent is gone stops by itself', async () => {
  const program = await started('usual');
  program.child.disconnect();
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(undone(program)).toEqual(['third', 'second', 'first']);
  expect(program.lines().at(-1)).toMatchObject({ message: 'stopped', reason: 'parent gone' });
});

test('a service whose parent went before it could listen for that does not start', async () => {
  const program = run('usual', 'late');
  program.child.disconnect();
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stdout()).toBe('');
});

test('a start that fails by its settings says which, alone, and ends with 1', async () => {
  const program = run('badSettings');
  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(program.stderr()).toBe('The settings in the environment are not usable:\n  "X" is required\n');
  expect(program.stdout()).toBe('');
});

test.each([
  ['a start that fails', 'failing', 'no database'],
  ['a rejection that nobody awaits', 'crashing', 'nobody awaits me'],
])('%s is logged, what was started is undone, and the process ends with 1', async (_what, kind, message) => {
  const program = run(kind);
  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(undone(program)).toEqual(['first']);
  expect(program.lines()).toContainEqual(
    expect.objectContaining({
      level: 'error',
      message: 'fatal error, the process exits',
      error: expect.objectContaining({ message }),
    }),
  );
});

test('a service that is stopped while it starts ends with 0 and logs no failure', async () => {
  const program = await started('slow');
  program.child.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(undone(program)).toEqual(['first']);
  expect(program.lines().filter(({ level }) => level === 'error')).toEqual([]);
});

test('a stop that hangs is cut, and says where it hung', async () => {
  const program = await started('hanging');
  program.child.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(program.lines().at(-1)).toMatchObject({ message: 'shutdown took too long', part: 'deaf' });
});
