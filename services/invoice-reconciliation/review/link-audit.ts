import { type AuditAction, type AuditSource, auditChanges, audited } from '@app/contracts';
import type { Decision, Invoice } from '../invoices/invoice.ts';

type AuditedLink = {
  action: Extract<AuditAction, 'invoice.linked' | 'invoice.unlinked'>;
  source: AuditSource;
  at: Date;
  reason?: string | undefined;
};

const names = ['ticket_id', 'view_id'];

/** Adds the audit event to a person's decision, unless the decision changes nothing. */
export function withAudit(before: Invoice, decision: Decision, { action, source, at, reason }: AuditedLink): Decision {
  const { invoice, events } = decision;
  if (invoice === before) return decision;
  const target = { kind: 'invoice', id: invoice._id, name: invoice.canonical?.number ?? null };
  const why = reason === undefined ? [] : [{ field: 'reason', before: null, after: reason }];
  const changes = [...auditChanges({ ...before }, { ...invoice }, { names, shown: names }), ...why];
  return {
    invoice,
    events: [...events, audited({ companyId: invoice.client_id, action, ...source, target, changes }, at)],
  };
}
