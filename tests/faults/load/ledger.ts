/** Every kind of write. `edit` and `purchase edit` are PATCHes, `link` and `review` what an accountant does with an invoice. */
const kinds = [
  'ticket',
  'move',
  'edit',
  'note',
  'document',
  'quote',
  'quote decision',
  'date',
  'purchase',
  'purchase edit',
  'purchase file',
  'invoice',
  'link',
  'review',
  'endpoint',
  'user',
];
export type Kind = (typeof kinds)[number];

/**
 * What an integrator did. `acknowledged`: the answer said so. `unknown`: the answer was lost, so it may have happened, once. `ended`: it
 * was made and removed again, both acknowledged.
 * `key` is the text, reference or name that nothing else has.
 */
export type Entry = {
  kind: Kind;
  key: string;
  account: string;
  state: 'acknowledged' | 'unknown' | 'ended';
  at: Date;
  /** The ticket that it is on. */
  ticket?: string;
  /** Of a file: its SHA-256. Of a move: the status it leads to. Of an invoice: whether an accountant must place it. */
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

  add(given: Omit<Entry, 'at'>): Entry {
    const entry = { ...given, at: new Date() };
    this.entries.push(entry);
    return entry;
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
    return this.entries.filter(({ state }) => state !== 'unknown').length;
  }

  /** How many writes of each kind were acknowledged. */
  get acknowledgedByKind(): Map<Kind, number> {
    const counts = new Map<Kind, number>(kinds.map((kind) => [kind, 0]));
    for (const { kind, state } of this.entries) if (state !== 'unknown') counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return counts;
  }
}
