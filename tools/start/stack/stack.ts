import type { ExternalSystems } from '@app/demo-data';
import type { Arguments } from '../arguments.ts';
import type { Processes } from '../infra/index.ts';
import type { Output } from '../output.ts';
import type { ServiceEntry } from '../service-table.ts';
import type { Supervised } from '../services/supervise.ts';

export type StackOptions = {
  root: string;
  /** Where data, keys and logs are kept. */
  stackDir: string;
  arguments: Arguments;
  env: NodeJS.ProcessEnv;
  services: ServiceEntry[];
  output: Output;
};

/** The state of a stack while it starts, runs and stops. */
export type Stack = StackOptions & {
  stackFile: string;
  processes: Processes;
  /** The previous launcher was killed: its processes may still be stopping. */
  tookOver: boolean;
  /** MongoDB and RabbitMQ, if this launcher started them. */
  infra: Supervised[];
  running: Supervised[];
  /** Aborted once the stack stops: what is under way in the background ends. */
  stopping: AbortController;
  /** What the demo companies call, if this launcher started it. */
  externalSystems?: ExternalSystems;
  /** Ends the stack because it cannot start or stay up. */
  fail: (reason: string) => void;
  /** Updates the pids in `stack.json` once it exists. */
  pidsChanged?: () => void;
};
