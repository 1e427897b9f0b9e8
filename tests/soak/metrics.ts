/** The values of a page of metrics, in the form that Prometheus reads: `name` or `name{label="value"}` → value. */
export function readMetrics(page: string): Map<string, number> {
  const lines = [...page.matchAll(/^([a-z0-9_]+(?:\{[^}]*\})?) (\S+)$/gm)];
  return new Map(lines.map(([, name = '', value]) => [name, Number(value)]));
}

/** The values of one metric by its only label. */
export function byLabel(metrics: ReadonlyMap<string, number>, name: string): Record<string, number> {
  const found = [...metrics].filter(([key]) => key.startsWith(`${name}{`));
  return Object.fromEntries(found.map(([key, value]) => [/="(.*)"\}$/.exec(key)?.[1] ?? '', value]));
}
