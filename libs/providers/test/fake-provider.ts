import { type InvoiceOutcome, noDetails } from '@app/contracts';
import type { Fault } from '@app/demo';
import type { ChangedPage, ClientOptions, Feedback, Provider, ProviderClient } from '../provider.ts';
import { createInvoiceReader } from '../reading/invoice-reader.ts';

/** A provider on a real server with the invoice `known`, for the conformance suite. */
export type FakeProvider = {
  provider: Provider;
  baseUrl: string;
  apiKey: string;
  /** The id of `knownInvoice`, which exists from the start, with a document of `documentBytes`. */
  known: string;
  documentBytes: Buffer;
  /** Adds an invoice. Changes are listed in the order of the calls. */
  add(number: number): string;
  /** Null if the provider never deletes. */
  remove: ((id: string) => void) | null;
  fail(fault: Fault): void;
  heal(): void;
  /** How often feedback with this outcome changed something at the provider. */
  feedbackCount(id: string, outcome: InvoiceOutcome): number;
  /** Matches the calls of feedback that change something: the `on` of a fault. */
  writePattern: string;
  /** False if the provider has no status "reversed". */
  canReverse: boolean;
  close(): Promise<void>;
};

const reader = createInvoiceReader({ slowMayWait: true });
/** Ends the processes that read invoices. */
export const closeReader = () => reader.close();

/** A client of the fake, patient and with its key. */
export function clientOf(fake: FakeProvider, given: Partial<ClientOptions> = {}): ProviderClient {
  const { provider, baseUrl, apiKey } = fake;
  return provider.connect({ baseUrl, credentials: { apiKey }, reader, owner: 'client', timeoutMs: 20_000, ...given });
}

/** Feedback about an invoice: linked to a ticket, unless something else is given. */
export function feedbackOn(externalId: string, given: Partial<Feedback> = {}): Feedback {
  const outcome = given.outcome ?? 'taken_in_charge';
  const isOfLink = outcome === 'taken_in_charge' || outcome === 'reversed';
  return {
    externalId,
    outcome,
    ticket: isOfLink ? { id: '0123456789abcdef01234567', number: 'T-1042' } : null,
    poRef: null,
    details: noDetails,
    at: new Date('2026-11-20T10:00:00Z'),
    key: `${outcome}/0`,
    reference: null,
    ...given,
  };
}

/** The pages of changes since then, from first to last; a hundred at most. */
export async function allPages(client: ProviderClient, since: Date): Promise<ChangedPage[]> {
  const pages: ChangedPage[] = [];
  let cursor: string | null = null;
  do {
    const page: ChangedPage = await client.listChanged(since, cursor);
    pages.push(page);
    cursor = page.cursor;
  } while (cursor !== null && pages.length < 100);
  return pages;
}
export const idsIn = (pages: ChangedPage[]) => [
  ...new Set(pages.flatMap(({ changes }) => changes.map(({ externalId }) => externalId))),
];

export async function bytesOf(stream: AsyncIterable<Buffer> | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** What every provider's mapping of the known invoice yields. */
export const knownInvoice = {
  kind: 'invoice',
  number: 'FA-2026-0101',
  issueDate: '2026-11-16',
  dueDate: '2026-12-16',
  currency: 'EUR',
  amounts: { ht: 521, tva: 104.2, ttc: 625.2 },
  vatBreakdown: [{ rate: 0.2, base: 521, amount: 104.2 }],
  matchHints: expect.objectContaining({ poRef: 'PO-2026-001' }),
  supplier: expect.objectContaining({
    name: 'Chauffage Durand SARL',
    siren: '732829320',
    siret: '73282932000074',
    vatNumber: 'FR44732829320',
    accounts: ['FR7630006000011234567890189'],
  }),
};

/** The key of every fake: unusual enough to be found if it leaks. */
export const apiKey = 'key-5e1f0c9d-do-not-leak';
