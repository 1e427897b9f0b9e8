import type { HeardStatuses, InvoiceStatus } from '@app/contracts';
import type { Decision, Invoice } from '../invoices/invoice.ts';
import { assertSendable } from './feedback.ts';
import { sendableOf } from './statuses.ts';

/** As `scheme:value`. `isMissing`: neither the invoice nor the directory has one. `failure`: why the directory could not be asked. */
export type FoundAddress = { address: string | null; isMissing: boolean; failure: string | null };
export type FindAddress = (invoice: Invoice, token: string) => Promise<FoundAddress>;

type Supplier = { provider: string; siren: string; siret: string | null };
type Answer = Pick<FoundAddress, 'address' | 'failure'>;
type Deps = {
  /** Gives addresses without their scheme. */
  connections: { supplierAddress(wanted: Supplier, token: string): Promise<Answer> };
  heardBy: (provider: string) => HeardStatuses;
};

const scheme = '0225';

/**
 * Where the supplier receives: as the invoice says or, if it does not and something could be told, as the directory of its platform says.
 * Never rejects: while the directory can't be asked a status may be told, and is sent once it answers.
 */
export function createFindAddress({ connections, heardBy }: Deps): FindAddress {
  return async (invoice, token) => {
    const { provider, canonical } = invoice;
    const { siren = null, siret = null } = canonical?.supplier ?? {};
    const given = { address: canonical?.lifeCycle?.address ?? null, isMissing: false, failure: null };
    const isAsked = canonical?.lifeCycle && given.address === null && siren !== null;
    if (!isAsked || sendableOf(invoice, heardBy(provider)).sendable.length === 0) return given;
    try {
      const { address, failure } = await connections.supplierAddress({ provider, siren, siret }, token);
      const isMissing = address === null && failure === null;
      return { address: address && `${scheme}:${address}`, isMissing, failure };
    } catch (error) {
      return { ...given, failure: error instanceof Error ? error.message : String(error) };
    }
  };
}

/** The invoice, lacking an address if none was found. */
export function withFoundAddress(invoice: Invoice, { isMissing }: FoundAddress): Invoice {
  const { canonical } = invoice;
  if (!isMissing || !canonical?.lifeCycle) return invoice;
  const lifeCycle = { ...canonical.lifeCycle, lacks: 'supplier_address' as const };
  return { ...invoice, canonical: { ...canonical, lifeCycle } };
}

type Telling = { status: InvoiceStatus; heard: HeardStatuses; found: FoundAddress };

/** @throws AppError conflict `invoice_status_forbidden` if the decision tells a supplier who has no address */
export function assertReachable(invoice: Invoice, { invoice: after }: Decision, telling: Telling): void {
  const { status, heard, found } = telling;
  if (after !== invoice && found.isMissing) assertSendable(withFoundAddress(invoice, found), status, heard);
}
