import type { Caller } from '@app/contracts';
import type { ErrorLine } from '@app/http';
import { isId, ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { Invoice } from '../invoices/invoice.ts';
import { type InvoiceStore, invoiceNotFound } from '../invoices/invoice-store.ts';
import type { VisibleInvoices } from './visible-invoices.ts';

/** Common to all routes of invoices: only for the accounting of client companies. */
export const accountingRoute = {
  host: 'ts',
  tag: 'Invoices',
  access: {
    permission: 'accounting',
    only: { kind: 'client', code: 'clients_only', message: 'invoices are reconciled by client companies' },
  },
} as const;

export type InvoiceParams = { id: string };

export const invoiceErrors: readonly ErrorLine[] = ['404 invoice_not_found'];

export type InvoiceRouteDeps = { store: InvoiceStore; visible: VisibleInvoices };

/** For routes of one invoice: loads it as the caller sees it. A malformed id is 422, an unknown or hidden invoice 404. */
export function invoiceRoute({ store, visible }: InvoiceRouteDeps) {
  return {
    ...accountingRoute,
    errors: invoiceErrors,
    params: Joi.object<InvoiceParams>({ id: Joi.string().required().description('24 hexadecimal characters') }),
    async load({ params, caller }: { params: InvoiceParams; caller: Caller }): Promise<Invoice> {
      if (!isId(params.id))
        throw new ValidationError([{ path: 'id', message: 'id must be 24 hexadecimal characters' }]);
      const found = await store.find(caller.companyId, params.id.toLowerCase());
      const [invoice] = found ? await visible.of(caller, [found]) : [];
      if (!invoice) throw invoiceNotFound();
      return invoice;
    },
  };
}
