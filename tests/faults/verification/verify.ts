import { createHash } from 'node:crypto';
import type { Cluster } from '../cluster/cluster.ts';
import type { Account } from '../load/accounts.ts';
import type { Ledger } from '../load/ledger.ts';
import {
  inParallel,
  read,
  readCompanyNames,
  readInvoices,
  readTickets,
  readUndelivered,
  readWaiting,
} from './api-reads.ts';
import {
  type Compared,
  compareEvents,
  compareInvoices,
  compareWrites,
  type Findings,
  hasNoFindings,
  noFindings,
} from './comparisons.ts';
import { findLeftOver, ownedFiles, storedFiles } from './server-state.ts';

type VerifyOptions = {
  accounts: Account[];
  ledger: Ledger;
  cluster: Cluster;
  /** Those that must be empty; by default all. */
  queues?: ReadonlySet<string>;
};

/**
 * Compares what was acknowledged with what is stored, and what is stored with what receivers got, with the provider's list, and with
 * the files.
 */
export async function verify({ accounts, ledger, cluster, queues }: VerifyOptions): Promise<Findings> {
  const findings = noFindings();
  for (const account of accounts) {
    const tickets = await readTickets(account);
    const names = await readCompanyNames(account);
    const compared = { account: account.name, tickets, names, ledger, findings };
    compareWrites(compared);
    for (const side of ['client', 'contractor'] as const) {
      compareEvents(account.endpoints[side], side, compared);
      const caller = side === 'client' ? account.ts : account.contractorTs;
      const left = await readUndelivered(caller, account.endpoints[side].id);
      findings.leftOver.push(...left.map((sentence) => `${account.endpoints[side].name}: ${sentence}`));
    }
    const onTickets = await readInvoices(
      account,
      tickets.flatMap(({ invoiceIds }) => invoiceIds),
    );
    const feedback = cluster.provider.feedback(account.provider.apiKey).filter(({ changed }) => changed);
    compareInvoices({
      ...compared,
      found: [...onTickets, ...(await readWaiting(account))],
      takenInCharge: feedback.map(({ invoiceId }) => invoiceId),
    });
    await compareFiles(account, compared);
  }
  // Not while something is missing: to look at queues starts an Erlang machine each time.
  if (!hasNoFindings(findings)) return findings;
  findings.leftOver.push(...(await findLeftOver(cluster, queues)));
  const owned = await ownedFiles(cluster);
  for (const file of await storedFiles(cluster))
    if (!owned.has(file)) findings.leftOver.push(`file ${file} has no owner`);
  return findings;
}

/** Every stored file is downloaded: its bytes are those that were sent. */
async function compareFiles({ client }: Account, { account, tickets, ledger, findings }: Compared): Promise<void> {
  const entries = [...ledger.of(account, 'document'), ...ledger.of(account, 'purchase file')];
  const sent = new Map(entries.map(({ key, detail }) => [key, detail]));
  const stored = tickets.flatMap(({ id, documents }) => documents.map((document) => ({ id, document })));
  await inParallel(stored, async ({ id, document: { name, s3_key } }) => {
    const link = await read(client, `/tickets/${id}/documents/download-link?s3_key=${s3_key}`);
    const answer = await fetch(link['download_url'] as string);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (answer.status !== 200 || hash !== sent.get(name))
      findings.lost.push(`${account}: file ${name} (${s3_key}) on ${id} is answered ${answer.status} with other bytes`);
  });
}
