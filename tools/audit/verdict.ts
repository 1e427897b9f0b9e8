/** `unanswered`: the registry, or what it needs, gave no answer, which says nothing about the packages. */
export type Verdict = { outcome: 'good' | 'bad' | 'unanswered'; text: string };

type Signatures = { invalid?: { name: string; version: string }[]; missing?: unknown[]; error?: { summary?: string } };
type Vulnerabilities = {
  metadata?: { vulnerabilities: Record<'high' | 'critical', number> };
  vulnerabilities?: Record<string, { severity: string }>;
  error?: { summary?: string };
};

/** @param json the output of `npm audit --json` */
export function vulnerabilityVerdict(json: string): Verdict {
  const { metadata, vulnerabilities = {} } = parsed<Vulnerabilities>(json);
  if (!metadata) return { outcome: 'unanswered', text: 'vulnerabilities: the registry does not answer' };
  const { high, critical } = metadata.vulnerabilities;
  if (high + critical === 0) return { outcome: 'good', text: 'vulnerabilities: none that are high or critical' };
  const names = Object.entries(vulnerabilities).flatMap(([name, { severity }]) =>
    ['high', 'critical'].includes(severity) ? [`${name} (${severity})`] : [],
  );
  return { outcome: 'bad', text: `vulnerabilities: ${names.join(', ')}; see npm audit` };
}

/** @param json the output of `npm audit signatures --json` */
export function signatureVerdict(json: string): Verdict {
  const { invalid, missing } = parsed<Signatures>(json);
  if (!invalid || !missing)
    return { outcome: 'unanswered', text: 'signatures: the registry or its keys do not answer' };
  if (invalid.length === 0)
    return { outcome: 'good', text: `signatures: none is wrong, ${missing.length} packages have none` };
  return {
    outcome: 'bad',
    text: `signatures that are wrong: ${invalid.map(({ name, version }) => `${name}@${version}`).join(', ')}`,
  };
}

/** What nobody has checked passes only where that was expected. */
export function passes(verdicts: Verdict[], { isOffline }: { isOffline: boolean }): boolean {
  return verdicts.every(({ outcome }) => outcome === 'good' || (outcome === 'unanswered' && isOffline));
}

function parsed<T>(json: string): Partial<T> {
  try {
    return JSON.parse(json) as T;
  } catch {
    return {};
  }
}
