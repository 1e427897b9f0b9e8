import { setTimeout as delay } from 'node:timers/promises';
import type { Random, SandboxProvider } from '@app/demo';
import { Accountant } from './accountant.ts';
import type { Account } from './accounts.ts';
import type { Client } from './client.ts';
import { Integrator } from './integrator.ts';
import type { Ledger } from './ledger.ts';

export type LoadOptions = {
  accounts: Account[];
  ledger: Ledger;
  provider: SandboxProvider;
  /** The second API without credentials, for the provider's webhooks. */
  anyone: Client;
  /** An address that the platform may send webhooks to. */
  spareUrl: string;
  randomOf: (worker: number) => Random;
  workersPerAccount?: number;
  /** Resolves when an integrator may go on with its next step; without it, each rests for a moment. */
  pace?: () => Promise<void>;
};

export type Load = {
  /** Once so many writes of each kind were acknowledged, and accountants have linked every invoice, or `gaveUp` says so. */
  stop(options?: { least?: number; gaveUp?: () => boolean }): Promise<void>;
};

const betweenMs = { least: 50, most: 400 };

/** Integrators at work until `stop`, each on one ticket after the other, and for each company an accountant. */
export function startLoad(options: LoadOptions): Load {
  const { accounts, randomOf, workersPerAccount = 2, pace, ...shared } = options;
  const { ledger } = shared;
  let isStopped = () => false;
  let areIntegratorsDone = false;
  const integrators = accounts.flatMap((account, at) =>
    Array.from({ length: workersPerAccount }, (_, index) => {
      const random = randomOf(at * workersPerAccount + index);
      const rest = () => delay(random.whole(betweenMs.least, betweenMs.most));
      return new Integrator({ ...shared, account, random, pace: pace ?? rest }).work(() => isStopped());
    }),
  );
  const accountants = accounts.map((account) =>
    new Accountant({ account, ledger }).work((isEverythingPlaced) => areIntegratorsDone && isEverythingPlaced),
  );
  return {
    async stop({ least = 0, gaveUp = () => false } = {}) {
      isStopped = () => gaveUp() || [...ledger.acknowledgedByKind.values()].every((count) => count >= least);
      await Promise.all(integrators);
      areIntegratorsDone = true;
      await Promise.race([Promise.all(accountants), until(gaveUp)]);
    },
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await delay(500);
}
