import { purchaseKinds } from '@app/contracts';
import { answer, named, type Route, route } from '@app/http';
import Joi from 'joi';
import { datesFields, datesResponse } from '../dates/date-routes.ts';
import { type TicketDocument, visibleDocuments } from '../documents/document.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { PresentedTicketDeps } from '../reading/ticket-presenter.ts';
import { ticketReply } from '../reading/ticket-schemas.ts';
import { type StoredFile, type Ticket, type View, viewOfCompany } from '../tickets/ticket.ts';
import { onTicket, type TicketParams } from '../tickets/ticket-route-base.ts';
import { isReportVisible } from '../tickets/visibility.ts';
import { type AccountingBase, accrualRoutes } from './accrual-routes.ts';

type Deps = Parameters<typeof accrualRoutes>[0] & PresentedTicketDeps & { documents: Pick<DocumentStore, 'newest'> };

/** A ticket has at most 200 live purchase documents of its client; this leaves room for replaced files. */
const maxFiles = 400;

const file = named('AccountingFile', {
  _id: Joi.string(),
  name: Joi.string(),
  kind: Joi.string().valid('report', ...purchaseKinds),
  added_at: Joi.string().isoDate(),
  download_url: Joi.string(),
});

const accounting: AccountingBase = {
  host: 'ts',
  access: {
    permission: 'accounting',
    only: { kind: 'client', code: 'clients_only', message: 'invoices are reconciled by client companies' },
  },
  tag: 'Invoices',
};

/**
 * Reading tickets to decide on an invoice, and what none has come for. On the second API, because the ticket API needs the permission `tickets`.
 *
 * Notes, the history and other documents are left out: they are letters between those who do the work, or about them, and an
 * invoice is compared with what was ordered, done and received.
 */
export function accountingRoutes(deps: Deps): Route[] {
  const { tickets, presenter, documents } = deps;
  return [
    ...accrualRoutes(deps, accounting),
    route<TicketParams, object, object, Ticket>({
      ...onTicket({ tickets }),
      ...accounting,
      method: 'get',
      path: '/invoice-tickets/:ticket_id',
      summary: 'Read the ticket that an invoice may belong to',
      description: 'With its quotes, orders, receipts, dates and reports; without notes, history and other documents.',
      reply: {
        status: 200,
        schema: answer({ ticket: ticketReply, ...datesFields, files: Joi.array().items(file) }),
      },
      async handle({ resource: found, caller }) {
        const own = viewOfCompany(found, caller.companyId) as View;
        const ofPurchases = { $and: [visibleDocuments(found, own), { kind: { $in: [...purchaseKinds] } }] };
        const [shown, purchased] = await Promise.all([
          presenter.one(found, caller),
          documents.newest(found._id, ofPurchases, maxFiles),
        ]);
        const reports = found.reports.filter((report) => isReportVisible(report, found, own));
        const files = [...reports.map((report) => ({ ...report, kind: 'report' as const })), ...purchased];
        return {
          // Nobody moves it from here.
          ticket: { ...shown, moves: [] },
          ...datesResponse(found, own),
          files: files.map((one) => fileResponse(one, presenter.link)),
        };
      },
    }),
  ];
}

type Shown = Pick<TicketDocument, '_id' | 'added_at' | 'file'> & { kind: string };

function fileResponse({ _id, kind, added_at, file: stored }: Shown, link: (file: StoredFile) => string) {
  return { _id, name: stored.name, kind, added_at, download_url: link(stored) };
}
