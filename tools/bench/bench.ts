import type { Processes } from '@app/infra';
import type { Load } from './load.ts';
import type { Platform } from './platform.ts';

/** What every suite gets to work with. */
export type Bench = {
  root: string;
  platform: Platform;
  processes: Processes;
  load: Load;
  /** How many tickets stand for a million. */
  million: number;
  rounds: number;
  roundMs: number;
  /** A line of progress, to the error stream: what is printed is the tables alone. */
  progress(line: string): void;
  print(table: string): void;
  /** Has the memory of one more process looked at when the suites are done. */
  alsoMeasure(name: string, pid: number): void;
  /** For a process that a suite starts, so that `--profile` looks at it too; empty without. */
  profiling: NodeJS.ProcessEnv;
  /** Names such a process among the profiles. */
  alsoProfile(name: string, pid: number): void;
  /** Undone in reverse order when the suites are done. */
  atEnd(undo: () => Promise<void>): void;
};

/** A part of the bench that may be asked for by name. */
export type Suite = (bench: Bench) => Promise<void>;
