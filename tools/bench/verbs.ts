import type { runVerbs } from '@app/start/infra';
import { commands } from './commands/commands.ts';
import { runSuites, type Suite, usage } from './harness/run-suites.ts';
import { invoiceSpeed } from './invoices/invoice-speed.ts';
import { matchingQuality } from './matching/matching-quality.ts';
import { purchaseSpeed, ticketSpeed } from './tickets/operation-speed.ts';
import { ticketGrowth } from './tickets/ticket-growth.ts';
import { webhooks } from './webhooks/webhooks.ts';

const suites = {
  tickets: ['operations on tickets, against a bare server', ticketSpeed],
  growth: ['filters and figures at a million tickets', ticketGrowth],
  purchases: ['creation of a purchase document, against a bare server', purchaseSpeed],
  matching: ['how many invoices find their ticket by themselves, and rightly', matchingQuality],
  invoices: ['invoices a second, with few of them and with a million', invoiceSpeed],
  webhooks: ['speed, isolation from an endpoint that hangs, and growth', webhooks],
  commands: ['the commands to MongoDB of one operation alone', commands],
} satisfies Record<string, readonly [says: string, suite: Suite]>;

type Verb = Parameters<typeof runVerbs>[0]['verbs'][string];

function verbOf(says: string, ...measured: Suite[]): Verb {
  return [says, async () => ({ usage, run: (args, { root }) => runSuites(measured, args, root) })];
}

export const verbs: Record<string, Verb> = {
  all: verbOf('all of these, on one platform', ...Object.values(suites).map(([, suite]) => suite)),
  ...Object.fromEntries(Object.entries(suites).map(([name, [says, suite]]) => [name, verbOf(says, suite)])),
  // It needs no platform.
  matching: [suites.matching[0], async () => ({ run: matchingQuality })],
};
