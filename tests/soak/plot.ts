import { pointsOf } from './growth.ts';
import { type Measure, type MeasureKey, measures, type Sample } from './measures.ts';
import { medianOf, type Point } from './slope.ts';

/** Readable on white and on black. */
const colours = ['#4e79a7', '#f28e2b', '#3f9b57', '#e15759', '#a868a8', '#2fa3a3', '#a5724f'];
const columns = 3;
const panel = { width: 300, height: 150, left: 42, right: 8, top: 26, bottom: 20 };
const legendHeight = 44;
const legendStep = 150;
/** More would only make the file larger. */
const mostPoints = 100;

/** Draws every measure over time, a line for each service or server; the shaded half is what flatness is judged by. */
export function plotOf(samples: readonly Sample[]): string {
  const services = Object.keys(samples.at(-1)?.values.resident ?? {});
  const rows = Math.ceil(measures.length / columns);
  const [width, height] = [columns * panel.width, legendHeight + rows * panel.height];
  const panels = measures.map((measure, index) => {
    const [x, y] = [(index % columns) * panel.width, legendHeight + Math.floor(index / columns) * panel.height];
    return `<g transform="translate(${x} ${y})">${panelOf(samples, measure)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    '<title>What a long run under load used, over time</title>',
    `<style>${style}</style>`,
    legendOf(services),
    ...panels,
    '</svg>\n',
  ].join('\n');
}

/** Grey has the same contrast on white and on black: an image does not know which of them its page has. */
const style = [
  'text{font:11px system-ui,sans-serif;fill:#767676}',
  '.title{font-weight:600}.axis{stroke:#888;stroke-opacity:.4}.half{fill:#888;fill-opacity:.12}',
  'polyline{fill:none;stroke-width:1.5;stroke-linejoin:round}',
].join('');

function legendOf(services: readonly string[]): string {
  const perRow = Math.floor((columns * panel.width) / legendStep);
  return services
    .map((name, index) => {
      const [x, y] = [8 + (index % perRow) * legendStep, 14 + Math.floor(index / perRow) * 18];
      const line = `<line x1="${x}" x2="${x + 14}" y1="${y - 4}" y2="${y - 4}" stroke="${colourOf(index)}" stroke-width="3"/>`;
      return `${line}<text x="${x + 18}" y="${y}">${name}</text>`;
    })
    .join('');
}

function panelOf(samples: readonly Sample[], measure: Measure & { key: MeasureKey }): string {
  const names = Object.keys(samples.at(-1)?.values[measure.key] ?? {});
  const lines = names.map((name) => thinned(pointsOf(samples, measure.key, name)));
  const top = niceAbove(Math.max(...lines.flat().map(({ value }) => value), 0));
  const [start, end] = [samples[0]?.atS ?? 0, samples.at(-1)?.atS ?? 1];
  const inner = { width: panel.width - panel.left - panel.right, height: panel.height - panel.top - panel.bottom };
  const xOf = (atS: number) => panel.left + (inner.width * (atS - start)) / (end - start || 1);
  const yOf = (value: number) => panel.top + inner.height * (1 - value / top);
  const half = xOf(samples[Math.floor(samples.length / 2)]?.atS ?? start);
  const polylines = lines.map((points, index) => {
    const coordinates = points.map(({ atS, value }) => `${round(xOf(atS))},${round(yOf(value))}`).join(' ');
    return `<polyline stroke="${colourOf(index)}" points="${coordinates}"/>`;
  });
  // The legend names the colours of the services. Other lines are named here, at their ends; a
  // single line has the name in its title.
  const isOfServices = names.length === Object.keys(samples.at(-1)?.values.resident ?? {}).length;
  const isNamed = !isOfServices && names.length > 1;
  const labels = isNamed ? lines.map((points, index) => labelOf(names[index] ?? '', index, yOf, points)) : [];
  const { title, unit } = measure;
  return [
    `<text class="title" x="${panel.left}" y="16">${title}${unit === '' ? '' : `, ${unit}`}</text>`,
    `<rect class="half" x="${round(half)}" y="${panel.top}" width="${round(xOf(end) - half)}" height="${inner.height}"/>`,
    ...[0, top / 2, top].map((value) => tick(value, yOf(value))),
    `<text x="${panel.left}" y="${panel.height - 6}">0</text>`,
    `<text x="${panel.width - panel.right}" y="${panel.height - 6}" text-anchor="end">${minutes(end - start)}</text>`,
    ...polylines,
    ...labels,
  ].join('');
}

function tick(value: number, y: number): string {
  const line = `<line class="axis" x1="${panel.left}" x2="${panel.width - panel.right}" y1="${round(y)}" y2="${round(y)}"/>`;
  return `${line}<text x="${panel.left - 4}" y="${round(y + 4)}" text-anchor="end">${round(value)}</text>`;
}

function labelOf(name: string, index: number, yOf: (value: number) => number, points: readonly Point[]): string {
  const line = yOf(points.at(-1)?.value ?? 0);
  const y = line - panel.top < 14 ? line + 13 : line - 4;
  const x = panel.width - panel.right - 2;
  return `<text x="${x}" y="${round(y)}" text-anchor="end" style="fill:${colourOf(index)}">${name}</text>`;
}

const colourOf = (index: number) => colours[index % colours.length] as string;
const round = (value: number) => Math.round(value * 10) / 10;
const minutes = (seconds: number) => `${(seconds / 60).toFixed(seconds < 600 ? 1 : 0)} min`;

/** A round number, not below the value, whose half is one too. */
function niceAbove(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 3, 4, 5, 6, 8, 10].find((times) => times * power >= value) ?? 10);
}

/** At most `mostPoints` points, each the median of its neighbours. */
function thinned(points: readonly Point[]): Point[] {
  const size = Math.ceil(points.length / mostPoints);
  if (size <= 1) return [...points];
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) => {
    const some = points.slice(index * size, (index + 1) * size);
    return { atS: medianOf(some.map(({ atS }) => atS)), value: medianOf(some.map(({ value }) => value)) };
  });
}
