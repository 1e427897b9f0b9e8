import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alerts, dashboards, objectives, ruleGroups } from '@app/monitoring';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

type Rule = { alert?: string; record?: string; expr: string };
const rules = ruleGroups().flatMap(({ rules: of }) => of as Rule[]);
const namesOfAlerts = [...new Set(rules.flatMap(({ alert }) => alert ?? []))];

/** Each metric of docs/metrics.md, which a test compares with the code, and its labels. */
const documented = new Map(
  [...read('docs/metrics.md').matchAll(/^\| `([a-z_]+)` +\| ([^|]*)\|/gm)].map(([, name = '', labels = '']) => [
    name,
    [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label as string),
  ]),
);
const ofOthers = [
  ...['up', 'process_start_time_seconds', 'process_cpu_seconds_total', 'process_resident_memory_bytes'],
  'nodejs_eventloop_lag_p99_seconds',
];
const ofTheScrape = ['job', 'instance', 'le'];

/** The metrics that an expression reads. */
function metricsIn(expr: string): string[] {
  const bare = expr.replaceAll(/"[^"]*"/g, '').replaceAll(/\{[^}]*\}|\b(by|without) \([^)]*\)/g, '');
  return [...bare.matchAll(/\b(?:[a-z]+_[a-z0-9_:]*|objective:[a-z0-9_:]+|up)\b(?! ?\()/g)].map(([name]) => name);
}

function labelsIn(expr: string): string[] {
  const matchers = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = '']) =>
    [...inner.replaceAll(/"[^"]*"/g, '').matchAll(/(\w+) ?[=!]/g)].map(([, label]) => label as string),
  );
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner = '']) => inner.split(', '));
  return [...matchers, ...grouped];
}

const recordedNames = rules.flatMap(({ record }) => record ?? []);
const baseOf = (name: string) => (documented.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''));

const expressions = [
  ...rules.map(({ alert, record, expr }) => [alert ?? record ?? '', expr] as const),
  ...dashboards.flatMap(({ file, model }) =>
    (model as { panels: { title: string; targets?: { expr: string }[] }[] }).panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [`${file}: ${title}`, expr] as const),
    ),
  ),
];

test.each(expressions)('%s reads metrics and labels that exist', (_of, expr) => {
  const read = metricsIn(expr);
  expect(read.length).toBeGreaterThan(0);
  for (const name of read) expect([...documented.keys(), ...ofOthers, ...recordedNames]).toContain(baseOf(name));
  const labels = read.flatMap((name) => documented.get(baseOf(name)) ?? []);
  for (const label of labelsIn(expr)) expect([...labels, ...ofTheScrape]).toContain(label);
});

test('a metric that does not exist would be found', () => {
  expect(metricsIn('max by (queue) (queue_mesages{queue="x"}) > rate(up[5m])')).toEqual(['queue_mesages', 'up']);
  expect(labelsIn('max by (queue, job) (queue_messages{state=~"x"})')).toEqual(['state', 'queue', 'job']);
});

test.each(namesOfAlerts)('the runbook says of %s what it means, how to look and what to do', (name) => {
  const section = read('docs/runbook.md').split(`\n### ${name}\n`)[1]?.split(/\n##/)[0] ?? '';
  expect([...section.matchAll(/^- \*\*(\w+):\*\* \S/gm)].map(([, part]) => part)).toEqual(['Means', 'Look', 'Do']);
});

test('the runbook has no alert that is gone, and every objective', () => {
  const page = read('docs/runbook.md');
  const sections = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  expect(sections.toSorted()).toEqual(namesOfAlerts.toSorted());
  for (const { sentence, alert } of objectives) {
    expect(page.split('\n').filter((line) => line.includes(sentence) && line.includes(alert))).toHaveLength(1);
  }
});

test('every metric that is worth a look is on a dashboard or in an alert', () => {
  const used = new Set(expressions.flatMap(([, expr]) => metricsIn(expr).map(baseOf)));
  // Metrics without an alert or panel: people look them up to explain a 503 (the adaptive limit) or a slow console
  // (the time of pages).
  const unused = [...documented.keys()].filter((name) => !used.has(name));
  expect(unused).toEqual(['page_request_duration_seconds', 'gateway_concurrency_limit']);
});

test('each alert is named once for a severity, and its summary is a sentence', () => {
  expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length);
  for (const { summary } of alerts) expect(summary).toMatch(/^[A-Z{].*[^.]$/);
});
