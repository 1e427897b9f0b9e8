import { purchaseFileAttached } from '@app/contracts';
import type { RestoreParticipant } from '@app/service/restore';
import { attachedFile } from '../purchases/purchase.ts';
import type { PurchaseStore } from '../purchases/purchase-store.ts';

type Deps = { purchases: Pick<PurchaseStore, 'page' | 'livePage' | 'existing'>; now: () => Date };

/** What this service does after a restore, its own or another's. */
export function restoreParticipant({ purchases, now }: Deps): RestoreParticipant {
  return {
    tasks: {
      async 'publish files'(_restore, after) {
        const { found, next } = await purchases.page(after);
        const events = found.flatMap((one) => {
          const document = one.deleted ? null : attachedFile(one);
          return document === null ? [] : [purchaseFileAttached({ document }, now(), one._id)];
        });
        return { events, next };
      },
    },
    known: {
      /** The documents of a lost ticket are kept but cannot be reached any more: they are listed for the operator. */
      async tickets(after) {
        const { found, next } = await purchases.livePage(after);
        const things = found.map(({ ticket_id: id, kind, reference }) => {
          return { id, label: `${kind} ${reference}`, within: null };
        });
        return { things, next };
      },
    },
    existing: { purchases: async (things) => ({ ids: await purchases.existing(things.map(({ id }) => id)) }) },
  };
}
