import type { Fault } from '@app/sandbox-provider';
import type { Provider } from '../provider.ts';

/** A provider behind a real server, with one invoice that every stage knows: `known`. What the conformance suite plays on. */
export type Stage = {
  provider: Provider;
  baseUrl: string;
  apiKey: string;
  /** The id of the invoice of `knownInvoice`, there from the start, with a document of `documentBytes`. */
  known: string;
  documentBytes: Buffer;
  /** Adds an invoice; the ids in the order added are the order of changes. */
  add(number: number): string;
  /** Null where the provider never deletes. */
  remove: ((id: string) => void) | null;
  fail(fault: Fault): void;
  heal(): void;
  /** How often feedback changed something at the provider, of this outcome. */
  told(id: string, outcome: 'taken_in_charge' | 'reversed'): number;
  /** Which calls of feedback change something: the `on` of a fault. */
  write: string;
  /** False where the provider has nothing that says "reversed". */
  reverses: boolean;
  close(): Promise<void>;
};

/** What every provider's mapping of the known invoice says alike. */
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
    iban: 'FR7630006000011234567890189',
  }),
};

/** The key of every stage: long and odd enough to be found wherever it leaks. */
export const apiKey = 'key-5e1f0c9d-do-not-leak';
