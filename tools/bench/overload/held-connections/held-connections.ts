import type { Times } from '../answers.ts';

export type HeldRun = {
  /** Of the ticket API and the second one. */
  ports: { ticket: number; ts: number };
  addresses: string[];
  /** Of all addresses together. */
  count: number;
  durationMs: number;
};

export type HeldResult = {
  /** From when on all of them were open, ms since 1970. */
  from: number;
  until: number;
  /** Fewest and mean number of open ones from then on. */
  open: { least: number; mean: number };
  /** What those that the platform ended were answered: the status, or `cut`. */
  ended: Record<string, number>;
  /** More connections, from an address that has all it may have: what they were answered, and after how long. */
  beyond: { kinds: Record<string, number>; times: Times | null };
};
