import { type ExportedRow, type ExportSources, exportedFile, rowsOf } from '@app/service/export';
import { type Purchase, purchaseResponse } from '../purchases/purchase.ts';
import type { PurchaseStore } from '../purchases/purchase-store.ts';

type Deps = { purchases: Pick<PurchaseStore, 'pageOfBuyer' | 'pageOfSupplier'> };

/** The purchase documents of a company with their current files, and the orders that are addressed to it. */
export function exportSources({ purchases }: Deps): ExportSources {
  return {
    purchases: (company, after) =>
      rowsOf({ after, read: (position, limit) => purchases.pageOfBuyer(company.id, position, limit), rowOf }),
    purchases_received: (company, after) =>
      rowsOf({ after, read: (position, limit) => purchases.pageOfSupplier(company.id, position, limit), rowOf }),
  };
}

function rowOf(purchase: Purchase): ExportedRow {
  const { editable: _, ...view } = purchaseResponse(purchase, false);
  const file = purchase.attached && exportedFile(purchase.attached.file);
  return { position: purchase._id, value: { ...view, file: file?.path ?? null }, files: file ? [file] : [] };
}
