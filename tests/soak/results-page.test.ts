import type { Line } from './growth.ts';
import { measures, type Sample } from './measures.ts';
import { plotOf } from './plot.ts';
import { begin, end, isSteady, type Soak, sectionOf, tableOf, withSection } from './results-page.ts';

const lines = measures.flatMap(({ key }) =>
  ['ticket', 'purchase'].map(
    (name): Line => ({ measure: key, name, median: 100, growth: name === 'ticket' ? 4 : 1, mayGrow: 10, isFlat: true }),
  ),
);
const soak: Soak = { minutes: 60, capacity: 20, rate: 10, writes: 36_000, samples: 240, lines, failures: [] };

function samples(count: number): Sample[] {
  return Array.from({ length: count }, (_, index) => {
    const each = measures.map(({ key }) => [key, key === 'queues' ? { 'all queues': index } : { a: index, b: 3 }]);
    return { atS: 15 * index, values: Object.fromEntries(each) as Sample['values'] };
  });
}

test('the table has a row for each measure, with what grew most of it; what rises is named, and is not steady', () => {
  const rows = tableOf(lines).split('\n').slice(2);
  expect(rows).toHaveLength(measures.length);
  expect(rows[0]).toBe('| Resident memory, MB | 200 | ticket | 4.0 | 10 | flat |');
  const leaking = lines.map((line) =>
    line.measure === 'sockets' && line.name === 'purchase' ? { ...line, growth: 30, isFlat: false } : line,
  );
  expect(tableOf(leaking)).toContain('| Sockets | 200 | purchase | 30 | 10 | RISES: purchase |');
  const runs = [soak, { ...soak, lines: leaking }, { ...soak, failures: ['x'] }];
  expect(runs.map(isSteady)).toEqual([true, false, false]);
});

test('the section says what load it was and what failed, and replaces the one before, and nothing else of the page', () => {
  const page = `# Page\n\n${begin}\n\nold\n\n${end}\n\nrest\n`;
  const written = withSection(page, sectionOf({ ...soak, failures: ['left: 3 messages'] }, 'images/soak.svg'));
  expect(written).toMatch(
    /^# Page\n\n.*\n\n60 minutes at 10.0 steps of integrators a second \(they can do 20.0\), 36000 /,
  );
  expect(written).toContain('\n- left: 3 messages\n');
  expect(written).toContain('![Memory, handles, connections and queues over 60 minutes](images/soak.svg)');
  expect(written).not.toContain('old');
  expect(written.endsWith(`${end}\n\nrest\n`)).toBe(true);
  expect(() => withSection('# Page\n', 'x')).toThrow(begin);
});

test('the plot has a line for each service and server, inside of its panel, and is small', () => {
  const drawn = plotOf(samples(240));
  const shown = [...drawn.matchAll(/<polyline [^>]*points="([^"]*)"/g)].map(([, points = '']) => points.split(' '));
  expect(shown).toHaveLength(2 * (measures.length - 1) + 1);
  for (const points of shown) {
    expect(points.length).toBeLessThanOrEqual(100);
    for (const point of points) {
      const [x = Number.NaN, y = Number.NaN] = point.split(',').map(Number);
      expect(x >= 0 && x <= 300 && y >= 0 && y <= 150).toBe(true);
    }
  }
  expect(drawn.match(/<g /g)).toHaveLength(drawn.match(/<\/g>/g)?.length ?? -1);
});
