import type { Processes } from '@app/infra';
import type { Load } from './load/load.ts';
import type { Platform } from './platform/platform.ts';

/** The context of every suite. */
export type Bench = {
  root: string;
  platform: Platform;
  processes: Processes;
  load: Load;
  /** How many tickets count as a million (`--million`). */
  million: number;
  rounds: number;
  roundMs: number;
  /** Writes a line of progress to stderr; stdout has the tables alone. */
  progress(line: string): void;
  print(table: string): void;
  /** Adds a process to the memory table. */
  measureMemoryOf(name: string, pid: number): void;
  /** Environment for processes that a suite starts, so that `--profile` includes them; otherwise empty. */
  profiling: NodeJS.ProcessEnv;
  /** Names such a process in the profiles. */
  nameProfile(name: string, pid: number): void;
  /** Registers a cleanup; cleanups run in reverse order. */
  onEnd(undo: () => Promise<void>): void;
};

/** A part of the bench that can be run by name. */
export type Suite = (bench: Bench) => Promise<void>;
