import { UsageError } from '../harness/arguments.ts';
import { type Answer, Answers, isDocumented, kindOf } from '../overload/answers.ts';
import { parseArguments } from '../overload/arguments.ts';
import { between, resultOf, secondsUntilBack } from '../overload/findings/recovery.ts';
import { dueBy, turnsOf } from '../overload/open-loop/arrivals.ts';

describe('arrivals', () => {
  test('callers take turns as their rates say, spread over the round', () => {
    const turns = turnsOf([10, 10, 40]);
    expect(turns).toHaveLength(6);
    expect([0, 1, 2].map((caller) => turns.filter((turn) => turn === caller).length)).toEqual([1, 1, 4]);
    expect(turns.slice(0, 2)).toEqual([2, 2]);
    expect(turns.slice(-2)).toEqual([2, 2]);
  });

  test.each([[[]], [[0, 1]], [[-1]]])('%j is no load', (rates) => {
    expect(() => turnsOf(rates)).toThrow(RangeError);
  });

  test.each([
    ['nothing is due yet', 9, 0, { count: 0, lateMs: 0 }],
    ['on time', 10, 0, { count: 1, lateMs: 0 }],
    [
      'a generator that was busy sends all that it missed, and says how late it is',
      1_000,
      20,
      { count: 80, lateMs: 790 },
    ],
    ['what was sent is not due again', 1_000, 100, { count: 0, lateMs: 0 }],
  ])('at 100 a second: %s', (_what, elapsedMs, taken, due) => {
    expect(dueBy(elapsedMs, 100, taken)).toEqual(due);
  });
});

const answer = (status: number, ms = 1, at = 0, hasRetryAfter = false): Answer => ({ status, ms, at, hasRetryAfter });

describe('answers', () => {
  test.each<[string, Answer, string, boolean]>([
    ['success', answer(201), '201', true],
    ['a refusal that says when to come back', answer(503, 1, 0, true), '503', true],
    ['a refusal that does not', answer(429), '429 without Retry-After', false],
    ['an error', answer(500), '500', false],
    ['a service that is too slow', answer(504), '504', false],
    ['no answer', answer(0), 'no answer', false],
  ])('%s', (_what, given, kind, documented) => {
    expect([kindOf(given), isDocumented(kind)]).toEqual([kind, documented]);
  });

  test('each kind has its times, and all refusals together theirs', () => {
    const answers = new Answers();
    for (const ms of [1, 2, 3]) answers.add(answer(200, ms));
    answers.add(answer(429, 10, 0, true));
    answers.add(answer(503, 30));
    expect(answers.kinds()['200']).toEqual({ count: 3, p50: 2, p99: expect.closeTo(2.98), most: 3 });
    expect(answers.refusals()).toMatchObject({ count: 2, p50: 20, most: 30 });
    expect(new Answers().refusals()).toBeNull();
  });
});

describe('recovery', () => {
  const start = 1_000_000;
  /** Ten answers in each second. */
  const seconds = (kinds: ((n: number) => Answer)[]) =>
    kinds.flatMap((kind, second) =>
      Array.from({ length: 10 }, (_, n) => ({ ...kind(n), at: start + 1_000 * second + 100 * n })),
    );
  const good = (n: number) => answer(200, n === 0 ? 500 : 20);
  const slow = () => answer(200, 300);
  const refused = (n: number) => answer(n === 5 ? 503 : 200, 20);

  test.each([
    ['it never was away', [good, good, good], 0],
    ['slow seconds', [slow, slow, good, good, good], 2],
    ['a refusal among many', [good, refused, good, good, good], 2],
    ['two good seconds are luck', [good, good, slow, good, good, good], 3],
    ['it stays slow', [slow, slow, slow, slow], null],
    ['not long enough to tell', [slow, good, good], null],
    ['a second without a request', [good, good, () => answer(0), good, good], null],
  ])('%s', (_what, kinds, back) => {
    expect(secondsUntilBack(seconds(kinds), start, 100)).toBe(back);
  });

  test('nobody asked: nobody knows', () => {
    expect(secondsUntilBack([], start, 100)).toBeNull();
  });

  test('a result counts what was served, of the requests that were due then', () => {
    const all = seconds([good, refused, slow]);
    expect(resultOf(between(all, start + 1_000, start + 3_000))).toEqual({ asked: 20, served: 19, p50: 300, p99: 300 });
    expect(resultOf([]).p99).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('arguments', () => {
  test('ten times as much for a minute, and 5,000 connections', () => {
    expect(parseArguments([])).toEqual({ times: 10, seconds: 60, connections: 5_000, profileDir: null });
  });

  test.each([
    ['--times', 'few'],
    ['--seconds', '1'],
    ['--connections', '-5'],
    ['--fast', '1'],
  ])('%s %s is refused', (option, value) => {
    expect(() => parseArguments([`${option}=${value}`])).toThrow(UsageError);
  });
});
