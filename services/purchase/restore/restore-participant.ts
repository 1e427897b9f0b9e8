import { type AttachedFile, purchaseFileAttached } from '@app/contracts';
import type { RestoreParticipant } from '@app/service/restore';
import type { Purchase } from '../purchases/purchase.ts';
import type { PurchaseStore } from '../purchases/purchase-store.ts';

type Deps = { purchases: Pick<PurchaseStore, 'page' | 'livePage' | 'existing'>; now: () => Date };

/** What this service does after a restore, its own or another's. */
export function restoreParticipant({ purchases, now }: Deps): RestoreParticipant {
  return {
    tasks: {
      async 'publish files'(_restore, after) {
        const { found, next } = await purchases.page(after);
        const events = found.flatMap((one) => {
          const document = currentFile(one);
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

/** Its file as the event of its attachment had it; null without one. */
function currentFile(purchase: Purchase): AttachedFile | null {
  const { _id: purchase_id, ticket_id, kind, buyer_company_id, supplier_company_id, document_id, attached } = purchase;
  if (attached === undefined || document_id === null || purchase.deleted) return null;
  const { file, at } = attached;
  const added_at = at.toISOString();
  return { id: document_id, ticket_id, purchase_id, kind, buyer_company_id, supplier_company_id, added_at, file };
}
