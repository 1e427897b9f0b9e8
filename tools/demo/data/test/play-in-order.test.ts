import { playInOrder, toldAt } from '../year/play-in-order.ts';

const { signal } = new AbortController();
const at = (day: number) => new Date(day * 86_400_000);

test('lives are lived in the order of the story, and its marks ascend', async () => {
  const seen: number[] = [];
  const lives = [
    [3, 5],
    [1, 4],
    [2, 6],
  ].map((days) => async (until: (moment: Date) => Promise<void>) => {
    for (const day of days) {
      await until(at(day));
      seen.push(day);
    }
  });
  const marks = await playInOrder(lives, { atOnce: 1, signal });
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  expect(marks.map(({ told }) => told)).toEqual([1, 2, 3, 4, 5, 6].map((day) => at(day).getTime()));
});

test('a life that fails ends them all', async () => {
  const fails = async (until: (moment: Date) => Promise<void>) => {
    await until(at(1));
    throw new Error('refused');
  };
  const goesOn = async (until: (moment: Date) => Promise<void>) => {
    for (;;) await until(at(2));
  };
  await expect(playInOrder([goesOn, fails], { atOnce: 2, signal })).rejects.toThrow('refused');
});

test.each([
  [999, null],
  [1_000, 10_000],
  [1_500, 10_500],
  [2_000, 20_000],
  [2_250, 20_250],
  [2_999, 20_500],
  [3_000, 20_500],
  [3_007, 20_507],
  [200_000, null],
])('what happened at %s is told at %s', (real, told) => {
  const marks = [
    { real: 1_000, told: 10_000 },
    { real: 2_000, told: 20_000 },
    { real: 3_000, told: 20_500 },
  ];
  expect(toldAt(marks, real)).toBe(told);
});
