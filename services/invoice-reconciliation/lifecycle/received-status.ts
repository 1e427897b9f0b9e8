import type { InvoiceStatusReceived } from '@app/contracts';
import {
  chainDecisions,
  changed,
  type Decision,
  type Invoice,
  type ReceivedStatus,
  unchanged,
  withFlags,
  withReason,
} from '../invoices/invoice.ts';
import { hasEnded } from '../invoices/provider-status.ts';
import { mayMove, move } from '../invoices/state-machine.ts';

const maxKept = 100;

/** The invoice with what its supplier or a platform says of it. One that has ended needs a person, and nothing more is placed by itself. */
export function withReceivedStatus(invoice: Invoice, message: InvoiceStatusReceived, now: Date): Decision {
  const { id, status, reasons, at } = message;
  const known = invoice.received_statuses ?? [];
  if (known.some((one) => one.id === id)) return unchanged(invoice);
  const received: ReceivedStatus = { id, status, reasons, at: new Date(at) };
  const noted = changed(invoice, { received_statuses: [...known, received].slice(-maxKept) }, now);
  return isEnd(received) ? chainDecisions(noted, (one) => ended(one, received, now)) : noted;
}

/** What the provider says of the invoice itself, or the end that it was told. */
export function statusOf({ received_statuses = [] }: Invoice, providerStatus: string | null): string | null {
  return received_statuses.find(isEnd)?.status ?? providerStatus;
}

/** Canceled by the supplier, or rejected by a platform: but not because it was delivered twice. */
function isEnd({ status, reasons }: ReceivedStatus): boolean {
  return status === '220' || (status === '213' && !reasons.some(({ code }) => code === 'DOUBLON'));
}

function ended(invoice: Invoice, { status, reasons }: ReceivedStatus, at: Date): Decision {
  if (hasEnded(invoice.provider_status)) return unchanged(invoice);
  const set = { provider_status: status, flags: withFlags(invoice.flags, 'provider_status') };
  const words = reasons.flatMap(({ code, text }) => text ?? code ?? []).join('; ');
  const said = status === '220' ? 'the supplier canceled this invoice' : 'a platform rejected this invoice';
  const reason = words === '' ? said : `${said}: ${words}`;
  const waiting = { ...set, reasons: withReason(invoice, 'provider_status') };
  if (mayMove(invoice, 'provider_status')) {
    const released = { claims: [], suggestions: [], rematch_at: null };
    return move(invoice, { trigger: 'provider_status', at, reason, set: { ...waiting, ...released } });
  }
  if (mayMove(invoice, 'ended_after_link'))
    return move(invoice, { trigger: 'ended_after_link', at, reason, set: waiting });
  return changed(invoice, set, at);
}
