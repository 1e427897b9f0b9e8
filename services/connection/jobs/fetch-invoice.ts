// Providers sign addresses anew, so these are left out of the payload: the hash of an unchanged invoice stays the same.
import { createHash } from 'node:crypto';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invoiceFetched, invoiceGone, invoiceStatusReceived, type StoredPayload } from '@app/contracts';
import { type FetchedInvoice, type ProviderClient, type ProviderDocument, ProviderError } from '@app/providers';
import type { Storage } from '@app/storage';
import type { ProviderAccount } from '../connections/connection.ts';
import { type FetchJob, fileKey, type PublishedContent } from './job.ts';
import type { JobOutcome } from './job-store.ts';
import { payloadType } from './payload-type.ts';

type Deps = { storage: Storage; now: () => Date };
type Attempt = { job: FetchJob; account: ProviderAccount; client: ProviderClient; signal: AbortSignal };

/** How long a finished job remembers what was published. Fetched again later, the invoice would be published once more. */
const keepMs = 30 * 24 * 3_600_000;

/**
 * Fetches an invoice and stores its raw payload and document under keys of the job's lease; or what a provider says of invoices.
 * @returns the outcome with the event to publish; without one if the content is what was published
 * last, unless the job is a resync
 * @throws ProviderError
 */
export async function fetchInvoice({ storage, now }: Deps, attempt: Attempt): Promise<JobOutcome> {
  const { job, account, client, signal } = attempt;
  const at = now();
  const outcome = (published: PublishedContent, events: JobOutcome['events']): JobOutcome => ({
    events,
    // The sequence is the time of the claim by the database's clock, which all processes share.
    fetched: { published, at: new Date(job.sequence) },
    expiresAt: new Date(at.getTime() + keepMs),
  });
  const ids = { client_id: account.client, provider: account.provider, external_id: job.externalId };
  const { published, resync, sequence } = job;

  const invoice = await fetchOrGone(client, job, signal);
  if (invoice === 'gone') {
    const isNews = resync || published !== 'gone';
    return outcome('gone', isNews ? [invoiceGone({ ...ids, at: at.toISOString(), sequence }, at)] : []);
  }
  if (invoice === 'never one') return outcome('gone', []);
  if (!resync && published && published !== 'gone' && published.raw === sha256(invoice.raw)) {
    invoice.document?.stream.destroy();
    return outcome(published, []);
  }
  if (invoice.statuses) {
    const { client_id, provider } = ids;
    const received = invoice.statuses.map((one, n) => ({ ...one, client_id, provider, id: `${job.externalId}/${n}` }));
    const events = received.map((one) => invoiceStatusReceived(one, at));
    return outcome({ raw: sha256(invoice.raw), document: null }, events);
  }
  const { raw, document } = await storeFiles(storage, { job, invoice, signal });
  const fetch = { connection_id: account.id, resync, fetched_at: at.toISOString(), sequence };
  return outcome({ raw: raw.hash, document: document?.hash ?? null }, [
    invoiceFetched({ ...ids, ...fetch, raw, document }, now()),
  ]);
}

async function fetchOrGone(client: ProviderClient, job: FetchJob, signal: AbortSignal) {
  try {
    return await client.fetchInvoice(job.externalId, signal);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error;
    if (error.code === 'no_invoice' && job.published === null) return 'never one';
    if (mayBeGone(job, error)) return 'gone';
    throw error;
  }
}

/** What was announced, and never published, is no invoice that is gone: it is tried again, and then listed as a failure. */
function mayBeGone(job: FetchJob, { code }: ProviderError): boolean {
  return job.published !== null || job.mayBeGone || job.resync || code === 'no_invoice';
}

type Files = { job: FetchJob; invoice: FetchedInvoice; signal: AbortSignal };

/** Stores both in parallel. Rejects only once neither is being written any more. */
async function storeFiles(storage: Storage, { job, invoice: { raw, document }, signal }: Files) {
  const targetOf = (part: 'raw' | 'document') => ({ under: fileKey(job.lease.id, job.id, part), signal });
  const [storedRaw, storedDocument] = await Promise.allSettled([
    storeRaw(storage, raw, targetOf('raw')),
    document ? storeDocument(storage, document, targetOf('document')) : null,
  ]);
  if (storedRaw.status === 'rejected') throw storedRaw.reason;
  if (storedDocument.status === 'rejected') throw storedDocument.reason;
  return { raw: storedRaw.value, document: storedDocument.value };
}

type StorageTarget = { under: string; signal: AbortSignal };

async function storeRaw(storage: Storage, raw: Buffer, target: StorageTarget): Promise<StoredPayload> {
  const type = payloadType(raw);
  await storage.put(Readable.from([raw], { objectMode: false }), { name: 'invoice', type, ...target });
  return { key: target.under, hash: sha256(raw), size: raw.length, type };
}

async function storeDocument(
  storage: Storage,
  { stream, type: declared, name }: ProviderDocument,
  target: StorageTarget,
): Promise<StoredPayload> {
  const hash = createHash('sha256');
  let size = 0;
  let type: string | null = null;
  const measured = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      type ??= payloadType(chunk, declared);
      size += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const [reading, storing] = await Promise.allSettled([
    pipeline(stream, measured),
    storage.put(measured, { name, type: declared, ...target }),
  ]);
  // Each side makes the other fail: an error of the provider is the cause, any other error of the stream a consequence.
  if (reading.status === 'rejected' && reading.reason instanceof ProviderError) throw reading.reason;
  if (storing.status === 'rejected') throw storing.reason;
  if (reading.status === 'rejected') throw reading.reason;
  return { key: target.under, hash: hash.digest('hex'), size, type: type ?? payloadType(Buffer.alloc(0), declared) };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
