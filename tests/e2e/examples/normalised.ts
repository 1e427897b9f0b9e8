type Context = {
  /** Values that the document fixes: enums and constants. They stay. */
  fixed: ReadonlySet<string>;
  /** What stands in place of an origin: `http://127.0.0.1:4000` by `https://api.example.com`. */
  origins: Readonly<Record<string, string>>;
};

/** What differs from run to run, by the name of its field. */
const byField: Record<string, unknown> = {
  prefix: 'fmt_3q2-',
  s3_key: 'files/6655a0c41f2b3c4d5e6f7081',
  ref: 'files/6655a0c41f2b3c4d5e6f7081',
  user_agent: 'Mozilla/5.0',
  cursor: 'NjY1NWEwYzQxZjJi',
  nextCursor: 'NjY1NWEwYzQxZjJi',
  durationMs: 182,
  size: 48213,
  password: 'correct horse battery',
  current_password: 'correct horse battery',
  new_password: 'battery staple correct',
  apiKey: 'the-key-of-your-provider',
  webhookSecret: 'the-secret-of-your-provider',
  client_secret: 'the-secret-of-your-provider',
};

export const randomName = '7d1a4c52-0e9b-4c3f-9a6e-2b8f5d0c1e47';

/** The same by its form; the first that fits, without groups. `null`: an id, which is numbered. */
const byForm: [RegExp, string | null][] = [
  [/ey[\w-]+\.[\w-]+\.[\w-]+/, 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiI2NjU1YTBjNCJ9.c2lnbmF0dXJl'],
  [/fmt_[\w-]+/, 'fmt_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA0bX9kT'],
  [/whsec_[\w-]+/, 'whsec_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  [/(?<=\/files\/)[\w.~-]+/, 'eyJrZXkiOiJkb2N1bWVudCJ9'],
  [/\b[0-9a-f]{16,32}@(?:example\.com|people\.example)/, 'ada.martin@example.com'],
  [/\b[0-9a-f]{64}\b/, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  [/\b[\w-]{40,}/, 'q3_2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/, randomName],
  [/\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}\b/, '2026-0117'],
  [/\bCompany [0-9a-f]{8}\b/, 'Acme Facility'],
  [/\b[0-9a-f]{24}\b/, null],
  [/\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{6,16}\b/, '3f2b8c1e'],
  [/\bT-\d{6,}\b/, 'T-000042'],
  [/\binv_\d+\b/, 'inv_8'],
  [/\bt=\d{10}\b/, 't=1795426200'],
];
const anyForm = new RegExp(byForm.map(([form]) => `(${form.source})`).join('|'), 'g');

const time = /\b\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?/g;
const shownIds = 0x6655a0c4;
const firstTime = Date.UTC(2026, 10, 23, 9, 30);
const minute = 60_000;
const day = 24 * 60 * minute;

/**
 * A request or its answer as every run gives it: ids, secrets, links, times and random names replaced, the same by the same; of a list
 * its first item.
 */
export function normalised(body: unknown, context: Context): unknown {
  const short = shortened(body);
  const text = JSON.stringify(short);
  const times = placesOf(text, time);
  const ids = new Map<string, string>();
  const replace = (given: string): string => {
    if (context.fixed.has(given)) return given;
    return withoutOrigins(given, context.origins)
      .replaceAll(time, (at) => timeAt(times.get(at) ?? 0, at.length))
      .replaceAll(anyForm, (found, ...groups) => {
        const place = groups.findIndex((group) => group !== undefined);
        return byForm[place]?.[1] ?? idOf(ids, found);
      });
  };
  return mapped(short, '', replace);
}

/** Lists with their first item: enough to see what they hold. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value))
    return (typeof value[0] === 'object' ? value.slice(0, 1) : value.slice(0, 3)).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

function mapped(value: unknown, field: string, replace: (text: string) => string): unknown {
  const same = byField[field];
  if (same !== undefined && typeof value === typeof same) return same;
  if (typeof value === 'string') return replace(value);
  if (typeof value === 'number') return value > 1e12 ? firstTime : value;
  if (Array.isArray(value)) return value.map((one) => mapped(one, '', replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [replace(key), mapped(inner, key, replace)]));
}

/** Their places in order, so that what was earlier stays earlier. */
function placesOf(text: string, pattern: RegExp): Map<string, number> {
  const found = [...new Set([...text.matchAll(pattern)].map(([one]) => one))].sort();
  return new Map(found.map((one, place) => [one, place]));
}

function timeAt(place: number, length: number): string {
  const isDay = length === 'yyyy-mm-dd'.length;
  const at = new Date(firstTime + place * (isDay ? day : minute)).toISOString();
  return isDay ? at.slice(0, 10) : at;
}

function idOf(ids: Map<string, string>, id: string): string {
  const shown = ids.get(id) ?? `${shownIds.toString(16)}1f2b3c4d5e6f${(0x7081 + ids.size).toString(16)}`;
  ids.set(id, shown);
  return shown;
}

function withoutOrigins(text: string, origins: Context['origins']): string {
  return text.replaceAll(
    /https?:\/\/(127\.0\.0\.1|localhost):\d+/g,
    (one) => origins[one] ?? 'https://hooks.example.com',
  );
}
