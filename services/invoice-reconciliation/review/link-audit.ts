import { type AuditAction, type AuditSource, auditChanges, audited } from '@app/contracts';
import type { Decision, Invoice } from '../invoices/invoice.ts';

type AuditedLink = {
  action: Extract<AuditAction, `invoice.${string}`>;
  source: AuditSource;
  at: Date;
  reason?: string | undefined;
};

const names = ['ticket_id', 'view_id', 'outcome', 'reason', 'code', 'invoice_id'];

/** Adds the audit event to a person's decision, unless the decision changes nothing. */
export function withAudit(before: Invoice, decision: Decision, { action, source, at, reason }: AuditedLink): Decision {
  const { invoice, events } = decision;
  if (invoice === before) return decision;
  const target = { kind: 'invoice', id: invoice._id, name: invoice.canonical?.number ?? null };
  const why = reason === undefined ? [] : [{ field: 'reason', before: null, after: reason }];
  const changes = [...auditChanges(shownOf(before), shownOf(invoice), { names, shown: names }), ...why];
  return {
    invoice,
    events: [...events, audited({ companyId: invoice.client_id, action, ...source, target, changes }, at)],
  };
}

/** Where the invoice is, and what a person concluded instead. */
function shownOf({ ticket_id, view_id, conclusion }: Invoice): Record<string, unknown> {
  return { ticket_id, view_id, ...conclusion };
}
