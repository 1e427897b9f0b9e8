import { spawnSync } from 'node:child_process';
import { passes, signatureVerdict, vulnerabilityVerdict } from './verdict.ts';

/**
 * `npm run audit`: known vulnerabilities of what runs in production, and signatures of all
 * packages. Exits with 1 if anything is bad, or was not checked because nobody answered; `--offline` lets the latter
 * pass, for builds at a mirror without audits.
 */

const patience = ['--fetch-retries=0', '--fetch-timeout=10000'];
const verdicts = [
  vulnerabilityVerdict(npm('audit', '--omit=dev', '--json')),
  signatureVerdict(npm('audit', 'signatures', '--json')),
];
for (const { outcome, text } of verdicts) console.log(`${outcome === 'unanswered' ? 'not checked' : outcome}: ${text}`);
if (!passes(verdicts, { isOffline: process.argv.includes('--offline') })) process.exitCode = 1;

function npm(...args: string[]): string {
  const { stdout } = spawnSync('npm', [...args, ...patience], {
    encoding: 'utf8',
    timeout: 120_000,
    shell: process.platform === 'win32',
  });
  return stdout ?? '';
}
