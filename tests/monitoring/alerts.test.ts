import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metrics } from '@app/runtime';
import { serviceTable } from '@app/start';
import { parse } from 'yaml';
// Make the histograms that objectives count.
import '../../services/invoice-reconciliation/metrics.ts';
import '../../services/webhook-dispatcher/metrics.ts';
import { dashboards, ruleGroups } from './monitoring-files.ts';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const rules = ruleGroups.flatMap(({ rules: of }) => of);
const ofGroup = (name: string) => ruleGroups.find((one) => one.name === name)?.rules ?? [];
const namesOfAlerts = [...new Set(rules.flatMap(({ alert }) => alert ?? []))];

/** Each metric of docs/metrics.md, which a test compares with the code, and its labels. */
const documented = new Map(
  [...read('docs/metrics.md').matchAll(/^\| `([a-z_]+)` +\| ([^|]*)\|/gm)].map(([, name = '', labels = '']) => [
    name,
    [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label as string),
  ]),
);
const ofOthers = [
  'up',
  'process_start_time_seconds',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
];
const ofTheScrape = ['job', 'instance', 'le'];

/** The metrics that an expression reads. */
function metricsIn(expr: string): string[] {
  const bare = expr.replaceAll(/"[^"]*"/g, '').replaceAll(/\{[^}]*\}|\b(by|without) \([^)]*\)/g, '');
  return [...bare.matchAll(/\b(?:[a-z]+_[a-z0-9_:]*|objective:[a-z0-9_:]+|up|ready)\b(?! ?\()/g)].map(([name]) => name);
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

const panels = dashboards.flatMap(({ file, panels: of }) =>
  of.map(({ title, targets = [] }) => ({ of: `${file}: ${title}`, targets })),
);

const exporterAlerts = ofGroup('exporters');

const expressions = [
  ...rules
    .filter((rule) => !exporterAlerts.includes(rule))
    .map(({ alert, record, expr }) => [alert ?? record ?? '', expr] as const),
  ...panels.flatMap(({ of, targets }) => targets.map(({ expr }) => [of, expr] as const)),
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

test.each(exporterAlerts)('the runbook names the exporter of $alert', ({ alert }) => {
  expect(read('docs/runbook.md').split(`\n### ${alert}\n`)[1]?.split(/\n##/)[0]).toMatch(/Metrics of: \w.*\./);
});

test('alerts on services are on every service', () => {
  const names = serviceTable.map(({ name }) => name);
  const [missing = ''] = rules.flatMap(({ alert, expr }) => (alert === 'ServiceMissing' ? expr : []));
  expect([...missing.matchAll(/absent\(up\{job="([^"]*)"\}\)/g)].map(([, name]) => name)).toEqual(names);
  const lists = rules.flatMap(({ expr }) => [...expr.matchAll(/job=~"([^"]*)"/g)].map(([, list]) => list));
  expect([...new Set(lists)]).toEqual([names.join('|')]);
});

test('the runbook has no alert that is gone, and every objective', () => {
  const page = read('docs/runbook.md');
  const sections = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  expect(sections.toSorted()).toEqual(namesOfAlerts.toSorted());
  const objectives = ofGroup('error-budgets').map(({ alert = '', annotations }) => {
    return { alert, sentence: annotations?.summary.replace('Missed at this pace: ', '') ?? '' };
  });
  expect(objectives).toHaveLength(6);
  for (const { sentence, alert } of objectives)
    expect(page.split('\n').filter((line) => line.includes(sentence) && line.includes(alert))).toHaveLength(1);
});

test('every metric that is worth a look is on a dashboard or in an alert', () => {
  const used = new Set(expressions.flatMap(([, expr]) => metricsIn(expr).map(baseOf)));
  // A metric without an alert or panel: people look them up to explain a 503.
  const unused = [...documented.keys()].filter((name) => !used.has(name));
  expect(unused).toEqual(['notification_streams', 'gateway_concurrency_limit']);
});

test('a panel of a histogram shows its exemplars once, which lead to traces; no other asks for any', () => {
  for (const { of, targets } of panels) {
    const histograms = targets.filter(({ expr }) => expr.includes('_bucket'));
    const asked = targets.filter(({ exemplar }) => exemplar === true);
    expect([of, asked.length]).toEqual([of, histograms.length > 0 ? 1 : 0]);
    for (const one of asked) expect(histograms).toContain(one);
  }
});

test('the panels of one service show the requests of every service, whatever its metric is called', () => {
  const requests = [...documented.keys()].filter((name) => name.endsWith('request_duration_seconds'));
  expect(requests.length).toBeGreaterThan(1);
  for (const title of ['Requests by route', 'Server errors by route', 'Time to answer']) {
    const targets = panels.find(({ of }) => of === `service.json: ${title}`)?.targets ?? [];
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) expect(metricsIn(expr).map(baseOf).toSorted()).toEqual(requests.toSorted());
  }
});

test('a bucket that an objective counts is one of its histogram', () => {
  const counted = rules.flatMap(({ expr }) => [...expr.matchAll(/(\w+)_bucket\{le=~"(\d+)/g)]);
  const pairs = new Set(counted.map(([, name, seconds]) => `${name} ${seconds}`));
  expect(pairs.size).toBe(2);
  for (const pair of pairs) {
    const [name = '', seconds] = pair.split(' ');
    const { upperBounds } = metrics.getSingleMetric(name) as unknown as { upperBounds: number[] };
    expect(upperBounds).toContain(Number(seconds));
  }
});

test('what is told has the address of its place in the runbook', () => {
  const { repository } = parse(read('k8s/chart/values.yaml')).monitoring;
  for (const { alert, annotations } of rules)
    if (alert) expect(annotations?.runbook_url).toBe(`${repository}/docs/runbook.md#${alert.toLowerCase()}`);
  expect(new URL(repository).protocol).toBe('https:');
});

test('each alert is named once for a severity, and its summary is a sentence', () => {
  const all = rules.filter(({ alert }) => alert);
  expect(new Set(all.map(({ alert, labels }) => `${alert} ${labels?.severity}`)).size).toBe(all.length);
  for (const { annotations } of all) expect(annotations?.summary).toMatch(/^[A-Z{].*[^.]$/);
});
