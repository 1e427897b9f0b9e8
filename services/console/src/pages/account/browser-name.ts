const browsers: [RegExp, string][] = [
  [/edg\//i, 'Edge'],
  [/firefox\//i, 'Firefox'],
  [/chrom(e|ium)\//i, 'Chrome'],
  [/safari\//i, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/android/i, 'Android'],
  [/iphone|ipad/i, 'iOS'],
  [/windows/i, 'Windows'],
  [/mac os/i, 'macOS'],
  [/linux/i, 'Linux'],
];

/** `Chrome, Windows` of a User-Agent; its first word for programs; null if there is nothing to tell. */
export function browserName(userAgent: string | null): string | null {
  if (!userAgent) return null;
  const find = (among: [RegExp, string][]) => among.find(([pattern]) => pattern.test(userAgent))?.[1];
  const known = [find(browsers), find(systems)].filter(Boolean).join(', ');
  return known || (userAgent.split(/[ /]/)[0] ?? null);
}
