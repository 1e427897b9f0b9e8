import type { ProviderHttp } from '../http-client.ts';
import { type Json, record } from '../json.ts';
import { ProviderError } from '../provider-error.ts';

export type Suppliers = {
  /** The supplier of an invoice; null where the invoice names none, or one that is gone. */
  read(id: string | null, signal?: AbortSignal): Promise<Json | null>;
};

/** Short, because a supplier's IBAN must not be an old one; 25 calls in 5 s are all there is, so that a page is read once. */
const keptMs = 60_000;
const mostKept = 500;

export function createSuppliers(http: ProviderHttp): Suppliers {
  const kept = new Map<string, { until: number; supplier: Json | null }>();
  return {
    async read(id, signal) {
      if (id === null) return null;
      const known = kept.get(id);
      if (known && known.until > Date.now()) return known.supplier;
      const supplier = await http.json({ path: ['suppliers', id], signal }).then(record, (error: unknown) => {
        if (error instanceof ProviderError && error.kind === 'not_found') return null;
        throw error;
      });
      kept.delete(id);
      kept.set(id, { until: Date.now() + keptMs, supplier });
      if (kept.size > mostKept) kept.delete(kept.keys().next().value as string);
      return supplier;
    },
  };
}
