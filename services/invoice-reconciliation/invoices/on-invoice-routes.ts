import type { Caller } from '@app/contracts';
import { isId, ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { Invoice } from './invoice.ts';
import { type InvoiceStore, invoiceNotFound } from './invoice-store.ts';

/** What every route of invoices has in common: accounting of a client company, its own invoices alone. */
export const ofAccounting = {
  host: 'ts',
  tag: 'Invoices',
  access: {
    permission: 'accounting',
    only: { kind: 'client', code: 'clients_only', message: 'invoices are reconciled by client companies' },
  },
} as const;

export type InvoiceParams = { id: string };

/** The path names an invoice. A malformed id is 422 here (spec section 7), one that the caller may not see 404. */
export function onInvoice(store: InvoiceStore) {
  return {
    ...ofAccounting,
    params: Joi.object<InvoiceParams>({ id: Joi.string().required().description('24 hexadecimal characters') }),
    async load({ params, caller }: { params: InvoiceParams; caller: Caller }): Promise<Invoice> {
      if (!isId(params.id))
        throw new ValidationError([{ path: 'id', message: 'id must be 24 hexadecimal characters' }]);
      const invoice = await store.find(caller.companyId, params.id.toLowerCase());
      if (!invoice) throw invoiceNotFound();
      return invoice;
    },
  };
}
