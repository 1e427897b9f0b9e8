import { join } from 'node:path';
import { createRandom } from '@app/demo';
import { stack } from '../../e2e/platform.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type Account, openAccounts } from './accounts.ts';
import { createClient, type Patience } from './client.ts';
import { Ledger } from './ledger.ts';
import { type Load, type LoadOptions, startLoad } from './load.ts';
import { type Receivers, startReceivers } from './receivers.ts';

/** Integrators at work, the receivers of their webhooks, and the record that both keep. */
export type Work = { ledger: Ledger; receivers: Receivers; accounts: Account[]; load: Load };

type Options = Pick<LoadOptions, 'workersPerAccount' | 'pace'> & {
  seed: number;
  accounts: number;
  patience: Patience;
  /** Of first attempts of deliveries, by their receivers. */
  failureShare?: number;
};

/** Lets integrators work on a cluster while `run` runs. */
export async function withWork<T>(
  cluster: Cluster,
  { seed, accounts: count, patience, failureShare, ...pace }: Options,
  run: (work: Work) => Promise<T>,
): Promise<T> {
  const ledger = new Ledger(seed);
  const receivers = await startReceivers({ certificatesDir: join(cluster.dir, 'tls'), seed, ledger });
  if (failureShare !== undefined) receivers.setFailureShare(failureShare);
  try {
    const accounts = await openAccounts(count, { ledger, patience, receivers });
    const load = startLoad({
      accounts,
      ledger,
      provider: cluster.provider,
      spareUrl: receivers.receiver.url('/spare'),
      ...pace,
      anyone: createClient({ baseUrl: stack().tsApi, token: null, ledger, patience }),
      randomOf: (worker) => createRandom(seed * 1_000 + worker),
    });
    return await run({ ledger, receivers, accounts, load });
  } finally {
    await receivers.close();
  }
}
