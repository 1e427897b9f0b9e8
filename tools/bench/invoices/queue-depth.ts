import type { Bench } from '../harness/bench.ts';
import { prepareRequest } from '../harness/load/load.ts';
import { medianRatio, medianSample, type Sample } from '../harness/load/statistics.ts';
import { type Account, internalToken } from '../harness/platform/accounts.ts';
import { portOf } from '../harness/platform/platform.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';

const pageSize = 50;
const deepPages = 10_000;
const walkedAtOnce = 200;
const walkedPerPage = walkedAtOnce / pageSize;
const growthAim = 1.5;
const warmUpMs = 500;

type Page = { items: unknown[]; nextCursor: string | null };

/** Compares the first page of the queue with one 10,000 pages deep, or the last one. */
export async function measureQueueDepth(bench: Bench, account: Account): Promise<void> {
  const port = portOf(bench.platform, 'invoice-reconciliation');
  const token = await internalToken(bench.platform, { ...account.caller, via: 'session' });
  bench.progress('invoices: walking through the queue');
  const deep = await walk(`http://127.0.0.1:${port}/invoices?limit=${walkedAtOnce}`, token);
  const paths = [`/invoices?limit=${pageSize}`, `/invoices?limit=${pageSize}&cursor=${deep.cursor}`];
  const samples: [Sample[], Sample[]] = [[], []];
  for (let round = 0; round <= bench.rounds; round++) {
    for (const [index, path] of paths.entries()) {
      const run = { port, connections: 1, unit: 1, lists: [[prepareRequest({ path, token })]] };
      // The first round brings the documents into memory and does not count.
      const sample = await bench.load.run({ ...run, durationMs: round === 0 ? warmUpMs : bench.roundMs });
      if (round > 0) samples[index]?.push(sample);
    }
  }
  const ratio = medianRatio(samples[1], samples[0], 'p50');
  const [first, last] = samples.map((each) => decimals(medianSample(each).p50, 2));
  const columns = [text('page of 50'), figure('p50 ms'), figure('ratio'), text('aim')];
  const rows = [
    ['the first', first ?? '', '', ''],
    [`after ${count(deep.pages)}`, last ?? '', decimals(ratio, 2), againstAim(ratio, { most: growthAim }, 1)],
  ];
  bench.print(table('Invoices: the queue, one request at a time', columns, rows));
}

/** As far as 10,000 pages, or to the last page but one: where the next page begins, and how many lie before it. */
async function walk(url: string, token: string): Promise<{ cursor: string; pages: number }> {
  let at = { cursor: '', pages: 0 };
  for (;;) {
    const response = await fetch(at.cursor === '' ? url : `${url}&cursor=${at.cursor}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!response.ok) throw new Error(`GET /invoices answered ${response.status}: ${await response.text()}`);
    const { nextCursor } = (await response.json()) as Page;
    if (nextCursor === null) {
      if (at.cursor === '') throw new Error('the queue has one page alone: measure with a larger --million');
      return at;
    }
    at = { cursor: nextCursor, pages: at.pages + walkedPerPage };
    if (at.pages >= deepPages) return at;
  }
}
