import { setTimeout as pause } from 'node:timers/promises';

export type KnownCompanies = {
  /** Whether it is a company, where its copy may be on its way still: a company made a moment ago is waited for. */
  isClient(id: string): Promise<boolean>;
};

type Deps = {
  accounts: { isClient(id: string): Promise<boolean> };
  now: () => Date;
  /** Pauses between one look at the copy and the next. */
  pausesMs?: readonly number[];
};

/** An id begins with the second of its making, by whichever clock. */
const youngMs = 60_000;
/** Five seconds, which a provider has. */
const defaultPausesMs = [50, 100, 200, 400, 800, 1_600, 1_600];
const mostWaiting = 100;
const unknownForMs = 30_000;
const mostUnknown = 1_000;

/**
 * Companies by the copy that identity's event makes, which comes within moments of the company. Anybody may name ids, so that
 * few requests wait at once, and an id that was waited for in vain is not waited for again soon.
 */
export function createKnownCompanies({ accounts, now, pausesMs = defaultPausesMs }: Deps): KnownCompanies {
  const unknownUntil = new Map<string, number>();
  let waiting = 0;

  async function arrives(id: string): Promise<boolean> {
    waiting += 1;
    try {
      for (const pauseMs of pausesMs) {
        await pause(pauseMs);
        if (await accounts.isClient(id)) return true;
      }
    } finally {
      waiting -= 1;
    }
    unknownUntil.delete(id);
    if (unknownUntil.size >= mostUnknown) unknownUntil.delete(unknownUntil.keys().next().value as string);
    unknownUntil.set(id, now().getTime() + unknownForMs);
    return false;
  }

  return {
    async isClient(id) {
      if (await accounts.isClient(id)) return true;
      const at = now().getTime();
      const isYoung = Math.abs(at - Number.parseInt(id.slice(0, 8), 16) * 1000) <= youngMs;
      const isUnknown = (unknownUntil.get(id) ?? 0) > at;
      return isYoung && !isUnknown && waiting < mostWaiting && arrives(id);
    },
  };
}
