export type Kind = 'ticket' | 'move' | 'note' | 'document' | 'purchase' | 'purchase file' | 'invoice';

/**
 * What an integrator did. `acknowledged`: the answer said so. `unknown`: the answer was lost, so it may have happened, once.
 * `key` is the text, reference or name that nothing else has.
 */
export type Entry = {
  kind: Kind;
  key: string;
  account: string;
  state: 'acknowledged' | 'unknown';
  at: Date;
  /** The ticket that it is on. */
  ticket?: string;
  /** Of a file: its SHA-256. Of a move: the status it leads to. */
  detail?: string;
};

/** The record that the integrators keep: what was answered, and what was wrong in it. */
export class Ledger {
  readonly entries: Entry[] = [];
  /** Answers that must not come, and reads that did not show what was acknowledged. */
  readonly violations: string[] = [];
  /** How often each status with its code was seen. */
  readonly statuses = new Map<string, number>();
  #count = 0;
  readonly #prefix: string;

  constructor(seed: number) {
    this.#prefix = `s${seed}`;
  }

  /** A text that nothing else has. */
  newKey(kind: string): string {
    this.#count += 1;
    return `${kind} ${this.#prefix}-${this.#count}`;
  }

  add(entry: Omit<Entry, 'at'>): void {
    this.entries.push({ ...entry, at: new Date() });
  }

  count(status: string): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  violate(sentence: string): void {
    this.violations.push(`${new Date().toISOString()} ${sentence}`);
  }

  of(account: string, kind: Kind): Entry[] {
    return this.entries.filter((entry) => entry.account === account && entry.kind === kind);
  }

  get acknowledged(): number {
    return this.entries.filter(({ state }) => state === 'acknowledged').length;
  }
}
