import { createHash } from 'node:crypto';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invoiceFetched, invoiceGone, type StoredPayload } from '@app/contracts';
import { type FetchedInvoice, type ProviderClient, type ProviderDocument, ProviderError } from '@app/providers';
import type { Storage } from '@app/storage';
import type { Account } from '../connections/connection.ts';
import { type FetchJob, fileKey } from './job.ts';
import type { Done } from './job-store.ts';
import { hashOf, payloadType } from './payload.ts';

type Deps = { storage: Storage; now: () => Date };
type Fetch = { job: FetchJob; account: Account; client: ProviderClient; signal: AbortSignal };

/** An invoice that is done may be forgotten after 30 days: fetched again, it would be published once more. */
const keptMs = 30 * 24 * 3_600_000;

/**
 * Fetches an invoice, stores its raw payload and document, and says what to publish of it: nothing where its payload is
 * what was published last. The files are stored under the keys of the job's lease, so that none is lost to a crash.
 * @throws ProviderError
 */
export async function fetchInvoice({ storage, now }: Deps, { job, account, client, signal }: Fetch): Promise<Done> {
  const at = now();
  // By the database's clock, which is one for all processes, and no later than it was.
  const begun = new Date(job.sequence);
  const keptUntil = new Date(at.getTime() + keptMs);
  const ids = { client_id: account.client, provider: account.provider, external_id: job.externalId };
  const invoice = await orGone(client.fetchInvoice(job.externalId, signal));
  if (invoice === 'gone') {
    const facts = { ...ids, at: at.toISOString(), sequence: job.sequence };
    const events = job.known === 'gone' && !job.resync ? [] : [invoiceGone(facts, at)];
    return { events, fetched: { known: 'gone', at: begun }, keptUntil };
  }
  if (!job.resync && job.known && job.known !== 'gone' && job.known.raw === hashOf(invoice.raw)) {
    invoice.document?.stream.destroy();
    return { events: [], fetched: { known: job.known, at: begun }, keptUntil };
  }
  const { raw, document } = await store(storage, { job, invoice, signal });
  const asked = { resync: job.resync, fetched_at: at.toISOString(), sequence: job.sequence };
  const facts = { ...ids, connection_id: account.id, raw, document, ...asked };
  const known = { raw: raw.hash, document: document?.hash ?? null };
  return { events: [invoiceFetched(facts, now())], fetched: { known, at: begun }, keptUntil };
}

async function orGone(fetching: Promise<FetchedInvoice>): Promise<FetchedInvoice | 'gone'> {
  try {
    return await fetching;
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'not_found') return 'gone';
    throw error;
  }
}

type Storing = { job: FetchJob; invoice: FetchedInvoice; signal: AbortSignal };

/** Both at once; where one fails, the other has ended too when this rejects. */
async function store(storage: Storage, { job, invoice: { raw, document }, signal }: Storing) {
  const keyOf = (part: 'raw' | 'document') => fileKey(job.lease.id, job.id, part);
  const [storedRaw, storedDocument] = await Promise.allSettled([
    storeRaw(storage, raw, { under: keyOf('raw'), signal }),
    document ? storeDocument(storage, document, { under: keyOf('document'), signal }) : null,
  ]);
  if (storedRaw.status === 'rejected') throw storedRaw.reason;
  if (storedDocument.status === 'rejected') throw storedDocument.reason;
  return { raw: storedRaw.value, document: storedDocument.value };
}

type Place = { under: string; signal: AbortSignal };

async function storeRaw(storage: Storage, raw: Buffer, place: Place): Promise<StoredPayload> {
  const type = payloadType(raw);
  await storage.put(Readable.from([raw], { objectMode: false }), { name: 'invoice', type, ...place });
  return { key: place.under, hash: hashOf(raw), size: raw.length, type };
}

async function storeDocument(
  storage: Storage,
  { stream, type: declared, name }: ProviderDocument,
  place: Place,
): Promise<StoredPayload> {
  const hash = createHash('sha256');
  let size = 0;
  let type: string | null = null;
  const passing = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      type ??= payloadType(chunk, declared);
      size += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const read = pipeline(stream, passing);
  // What the source fails with is the reason, not what the storage makes of a stream that broke.
  const [reading, storing] = await Promise.allSettled([read, storage.put(passing, { name, type: declared, ...place })]);
  if (reading.status === 'rejected') throw storing.status === 'rejected' ? causeOf(reading, storing) : reading.reason;
  if (storing.status === 'rejected') throw storing.reason;
  return { key: place.under, hash: hash.digest('hex'), size, type: type ?? payloadType(Buffer.alloc(0), declared) };
}

/** A storage that fails first has the source end early; a source that fails has the storage fail with the same. */
function causeOf(reading: PromiseRejectedResult, storing: PromiseRejectedResult): unknown {
  return reading.reason instanceof ProviderError ? reading.reason : storing.reason;
}
