import { createRandom } from '@app/demo';
import { linesOf } from './growth.ts';
import { type MeasureKey, measures, type Sample } from './measures.ts';
import { byLabel, readMetrics } from './metrics.ts';
import { slopeOf } from './slope.ts';

const hour = 3_600;
const everyS = 15;

/** An hour in which everything is `level`, but one line, which is `of` that second. */
function samplesAt(key: MeasureKey, of: (atS: number) => number, level = 200): Sample[] {
  return Array.from({ length: hour / everyS }, (_, index) => {
    const atS = index * everyS;
    const flat = measures.map((measure) => [measure.key, { ticket: level, purchase: level }]);
    const values = Object.fromEntries(flat) as Sample['values'];
    return { atS, values: { ...values, [key]: { ticket: level, purchase: of(atS) } } };
  });
}

const rising = (samples: Sample[]) =>
  linesOf(samples)
    .filter(({ isFlat }) => !isFlat)
    .map(({ measure, name }) => `${measure} ${name}`);

test('a slope is that of the line that the points lie on, whatever a tenth of them says', () => {
  const points = Array.from({ length: 100 }, (_, index) => ({ atS: index * 15, value: 3 + 0.2 * index * 15 }));
  const wild = points.map((point, index) => (index % 10 === 3 ? { ...point, value: 10_000 } : point));
  expect(slopeOf(points)).toBeCloseTo(0.2);
  expect(slopeOf(wild)).toBeCloseTo(0.2, 1);
  expect([slopeOf([]), slopeOf([{ atS: 1, value: 2 }])]).toEqual([0, 0]);
});

const random = createRandom(7);
const noise = (most: number) => most * (random.next() - 0.5);

test.each<[string, MeasureKey, (atS: number) => number]>([
  ['memory that does not change', 'resident', () => 200],
  ['memory that was filled in the first half', 'resident', (atS) => Math.min(200, 100 + atS / 10)],
  ['memory that falls', 'resident', (atS) => 300 - atS / 100],
  ['a heap between its collections', 'heap', (atS) => 100 + ((atS / everyS) % 8) * 12],
  ['memory with noise', 'resident', () => 200 + noise(60)],
  ['a queue with a peak', 'queues', (atS) => (atS > 3_000 && atS < 3_100 ? 5_000 : 3)],
  ['file descriptors with noise', 'files', () => 60 + Math.round(noise(10))],
])('flat: %s', (_what, key, of) => {
  expect(rising(samplesAt(key, of))).toEqual([]);
});

test.each<[string, MeasureKey, (atS: number) => number]>([
  ['20 MB in half an hour, with noise', 'resident', (atS) => 200 + (20 * atS) / (hour / 2) + noise(30)],
  ['a heap that grows below its collections', 'heap', (atS) => 100 + atS / 30 + ((atS / everyS) % 8) * 12],
  ['a socket each two minutes', 'sockets', (atS) => 40 + Math.floor(atS / 120)],
  ['a channel every ten minutes', 'broker', (atS) => 14 + Math.floor(atS / 600)],
  ['a queue that is filled faster than it is emptied', 'queues', (atS) => atS / 10],
])('rising: %s', (_what, key, of) => {
  expect(rising(samplesAt(key, of))).toEqual([`${key} purchase`]);
});

test('too few samples say nothing', () => {
  expect(() => linesOf(samplesAt('resident', () => 1).slice(0, 19))).toThrow('19 samples');
});

test('values are read from a page of metrics, with their labels and digits in their names', () => {
  const page =
    '# HELP a_p99 x\n# TYPE a_p99 gauge\na_p99 1.5e-3\nqueue_messages{queue="x.y"} 3\nqueue_messages{queue="z"} 0\n';
  const metrics = readMetrics(page);
  expect(metrics.get('a_p99')).toBe(0.0015);
  expect(byLabel(metrics, 'queue_messages')).toEqual({ 'x.y': 3, z: 0 });
  expect(byLabel(metrics, 'queue')).toEqual({});
});
