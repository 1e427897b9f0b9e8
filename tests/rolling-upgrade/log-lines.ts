import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type LogLines = {
  /** What a person would have to look at. */
  errors: string[];
  /** How often a message could not be handled at first. */
  retries: number;
  /** Events that a consumer did not know, or not in this form. */
  refused: string[];
};

const isError = /^\d\d:\d\d:\d\d\.\d{3} error /;
/** Of the sandbox provider, which an operation asks to fail. */
const isAskedFor = /this failure was asked for/;
const isRetry = /^\d\d:\d\d:\d\d\.\d{3} warn message will be retried /;

const isRefused = /"message":"(no handler for |[a-z_.]+\.v\d+: )/;

/** What the services logged during a run. */
export function readLogs(folder: string): LogLines {
  const lines = readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .map((line) => ({ name, line })),
  );
  const shown = (isWanted: (line: string) => boolean) =>
    lines.filter(({ line }) => isWanted(line)).map(({ name, line }) => `${name}: ${line.slice(0, 400)}`);
  return {
    refused: shown((line) => isRetry.test(line) && isRefused.test(line)),
    errors: shown((line) => isError.test(line) && !isAskedFor.test(line)),
    retries: shown((line) => isRetry.test(line)).length,
  };
}
