import { FairSemaphore } from '@app/runtime/workers';
import { LRUCache } from 'lru-cache';
import { orAborted } from '../http/authorization.ts';
import type { ProviderHttp } from '../http/http-client.ts';
import { identifier, pageEntries, record, text } from '../parsing/json.ts';
import type { SupplierDirectory, SupplierInDirectory } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';

const cachedMs = 24 * 3_600_000;
const maxCached = 1_000;
const maxLines = 100;
/** How long a directory that does not answer is left alone. */
const pauseMs = 60_000;

/** One request at a time for a company, whatever it connects to, in fair turns between companies. */
const turns = new FairSemaphore({ total: 8, perKey: 1, throttleMs: 0, queueThrottled: true });

/**
 * The directory service of an approved platform (XP Z12-013). What it says of a supplier is known for a day, to the connection whose
 * credentials it was asked with.
 */
export function createDirectory(http: ProviderHttp, owner: string): SupplierDirectory {
  let pause: { until: number; error: ProviderError } | null = null;

  async function search(supplier: SupplierInDirectory): Promise<{ address: string | null }> {
    if (pause && performance.now() < pause.until) throw pause.error;
    const filters = { siren: { op: 'strict', value: supplier.siren } };
    // The line of the whole company sorts before those of its places, of which there may be more than a page.
    const sorting = [{ field: 'addressingIdentifier', order: 'ascending' }];
    const body = { filters, sorting, limit: maxLines };
    try {
      const answer = record(await http.json({ method: 'post', path: ['directory-line', 'search'], body }));
      return { address: chosenLine(pageEntries(answer['results']).slice(0, maxLines), supplier) };
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const failure = unavailable(error);
      const isAnswer = error.kind === 'refused' || error.kind === 'not_found';
      const ms = Math.max(pauseMs, error.retryAfterMs ?? 0);
      pause = isAnswer ? null : { until: performance.now() + ms, error: failure };
      throw failure;
    }
  }

  const known = new LRUCache<string, { address: string | null }, SupplierInDirectory>({
    max: maxCached,
    ttl: cachedMs,
    fetchMethod: (_key, _stale, { context }) => turns.run(owner, () => search(context)),
  });
  return {
    async addressOf(supplier, signal) {
      const { siren, siret, given } = supplier;
      const asked = known.forceFetch([siren, siret, given].join('/'), { context: supplier });
      return (await (signal ? orAborted(asked, signal) : asked)).address;
    },
  };
}

/** Its own kind: neither the connection's health nor its pauses are about the directory. */
function unavailable({ kind, message, status }: ProviderError): ProviderError {
  const why = `the directory can't be asked where the supplier receives: ${message}`;
  const isTransient = kind === 'transient' || kind === 'rate_limited';
  return new ProviderError(isTransient ? 'transient' : 'refused', why, { status, code: 'not_sendable' });
}

/**
 * The address that the invoice gives, unless it is disabled; else the best enabled one: for statuses, of the supplier's place, of the
 * whole company. Those of other places are left out if the invoice says which place it is. Some platforms give no status.
 */
function chosenLine(lines: Record<string, unknown>[], { siren, siret, given }: SupplierInDirectory): string | null {
  const listed = lines.flatMap((line) => {
    const address = identifier(line['addressingIdentifier']);
    // An address of scheme 0225 begins with the SIREN: whatever a platform answers, no other company is told.
    if (address === null || !(address === siren || address.startsWith(`${siren}_`))) return [];
    const place = /^\d{9}_(\d{14})(?:_|$)/.exec(address)?.[1] ?? null;
    return [{ address, place, status: text(line['directoryLineStatus']) ?? 'Enabled' }];
  });
  const isDisabled = listed.some(({ address, status }) => address === given && status === 'Disabled');
  if (given !== null && !isDisabled) return given;
  const rank = ({ address, place }: (typeof listed)[number]) => {
    if (/_stat(?:us|uts?)$/i.test(address)) return 0;
    if (place !== null && place === siret) return 1;
    return address === siren ? 2 : 3;
  };
  const [best] = listed
    .filter(({ place, status }) => status === 'Enabled' && (siret === null || place === null || place === siret))
    .sort((one, other) => rank(one) - rank(other) || (one.address < other.address ? -1 : 1));
  return best?.address ?? null;
}
