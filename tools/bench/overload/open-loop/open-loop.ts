import type { Answer, Times } from '../answers.ts';

/** Whole HTTP/1.1 requests that a caller sends in turn, from one address of loopback. */
export type Caller = { address: string; perSecond: number; requests: string[] };

export type OpenLoopRun = {
  port: number;
  callers: Caller[];
  /** Null: until it is stopped. */
  durationMs: number | null;
  maxConnectionsPerAddress: number;
  /** Whether each answer is reported, and not their times alone. */
  keepAnswers: boolean;
};

export type OpenLoopResult = {
  /** Sent or waiting for a connection: all that were due. */
  asked: number;
  perSecond: number;
  kinds: Record<string, Times>;
  refusals: Times | null;
  /** How late the generator itself was, ms. */
  late: Times;
  /** Most connections at once. */
  connections: number;
  answers: Answer[];
};
