import { relative } from 'node:path';
import type { Reporter, ReporterOnStartOptions, Test, TestResult } from '@jest/reporters';

type Results = Parameters<NonNullable<Reporter['onRunStart']>>[0];

const everyMs = 60_000;
const shown = 10;

/** A Jest reporter: says once a minute how far the run is, and in the end which files took longest. */
export default class Progress implements Reporter {
  private readonly slowest: { file: string; seconds: number }[] = [];
  private timer: NodeJS.Timeout | undefined;

  onRunStart(results: Results, { estimatedTime }: ReporterOnStartOptions): void {
    if (estimatedTime > 0) say(`expected to take ${inMinutes(estimatedTime * 1_000)}, as last time`);
    this.timer = setInterval(() => say(progressOf(results, Date.now())), everyMs);
  }

  onTestResult({ path, context }: Test, { perfStats }: TestResult): void {
    this.slowest.push({ file: relative(context.config.rootDir, path), seconds: perfStats.runtime / 1_000 });
  }

  onRunComplete(): void {
    clearInterval(this.timer);
    const files = this.slowest.toSorted((a, b) => b.seconds - a.seconds).slice(0, shown);
    if (files.length < shown) return;
    say(`the ${shown} slowest files:`);
    for (const { file, seconds } of files) say(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
  }
}

/** How far a run is, in a line. */
export function progressOf(results: Results, now: number): string {
  const {
    numTotalTestSuites: files,
    numPassedTestSuites: passed,
    numFailedTestSuites: failed,
    numPassedTests,
  } = results;
  const done = passed + failed;
  return `${inMinutes(now - results.startTime)}: ${done} of ${files} files, ${numPassedTests} tests passed, ${failed} files failed`;
}

const inMinutes = (ms: number) => `${Math.round(ms / 60_000)} min`;

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
