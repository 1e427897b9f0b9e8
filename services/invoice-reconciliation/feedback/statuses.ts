import {
  type FeedbackSettled,
  type HeardStatuses,
  type InvoiceStatus,
  obstacleTo,
  type StatusDetails,
  type StatusFacts,
  type StatusObstacle,
  type StatusReason,
  standing,
  statusRule,
  toldByPeople,
} from '@app/contracts';
import { type Invoice, linkedStates, type ProviderStatus } from '../invoices/invoice.ts';
import { hasEnded } from '../invoices/provider-status.ts';
import { mayMove } from '../invoices/state-machine.ts';

const maxKept = 100;

/** What the provider passes on of the invoice: no more than its ticket, if it came outside of e-invoicing. */
function heardOf({ canonical }: Invoice, { taken_in_charge, ...others }: HeardStatuses): HeardStatuses {
  return { ...(taken_in_charge && { taken_in_charge }), ...(canonical?.isElectronic === false ? {} : others) };
}

/** What decides which statuses may be told of the invoice. `heard`: what its provider takes. */
export function factsOf(invoice: Invoice, heard: HeardStatuses): StatusFacts {
  const { provider_statuses: told = [], provider_status, conclusion, canonical, state, ticket_id } = invoice;
  return {
    heard: heardOf(invoice, heard),
    told,
    lifeCycle: canonical?.lifeCycle,
    isEnded: hasEnded(provider_status) || conclusion?.outcome === 'refused',
    isPlaced: conclusion?.outcome === 'no_ticket' || (ticket_id !== null && linkedStates.includes(state)),
  };
}

/** Whether no rule forbids it now. */
export function maySend(invoice: Invoice, status: InvoiceStatus, heard: HeardStatuses): boolean {
  return invoice.canonical !== null && obstacleTo(status, factsOf(invoice, heard)) === null;
}

export type Sendable = {
  status: InvoiceStatus;
  reasons: readonly StatusReason[];
  needs: readonly (keyof StatusDetails)[];
  takes: readonly (keyof StatusDetails)[];
};

/**
 * The statuses that a person may tell now. A refusal concludes the invoice, and needs one that waits without a ticket. `obstacle`: why
 * there are none.
 */
export function sendableOf(
  invoice: Invoice,
  heard: HeardStatuses,
): { sendable: Sendable[]; obstacle: StatusObstacle | null } {
  if (invoice.canonical === null) return { sendable: [], obstacle: 'not_sendable' };
  const facts = factsOf(invoice, heard);
  const known = toldByPeople.filter((status) => facts.heard[status] !== undefined);
  const sendable = known
    .filter((status) => obstacleTo(status, facts) === null)
    .filter((status) => status !== 'refused' || mayMove(invoice, 'conclude'))
    .map((status) => {
      const { needs, takes } = statusRule(status);
      return { status, reasons: heard[status]?.reasons ?? [], needs, takes };
    });
  const [first] = known;
  return { sendable, obstacle: sendable.length > 0 || !first ? null : obstacleTo(first, facts) };
}

/** The status that holds now, as far as the supplier was or is being told. */
export function currentOf({ provider_statuses: told = [] }: Pick<Invoice, 'provider_statuses'>): ProviderStatus | null {
  return standing(told).at(-1) ?? null;
}

export type Asked = { status: InvoiceStatus; version: number; details: StatusDetails; by: string | null; at: Date };

/** The statuses with one more, which is pending. */
export function withAsked({ provider_statuses: told = [] }: Invoice, asked: Asked): ProviderStatus[] {
  const { status, version, details, by, at } = asked;
  const key = keyOf(told, asked);
  const own = { status, ...details, version, key, by, asked_at: at };
  return [...told, { ...own, result: 'pending' as const, settled_at: null, failure: null }].slice(-maxKept);
}

/**
 * The message of a link is sent once for an invoice, any other one once for each request. One that failed without the provider having
 * refused it may have arrived: the next attempt is the same message. One that was refused needs another id.
 */
function keyOf(told: readonly ProviderStatus[], { status, details, at }: Asked): string {
  const before = told.filter((one) => one.status === status);
  if (status === 'taken_in_charge') return `${status}/${before.filter(({ refused }) => refused).length}`;
  const last = before.at(-1);
  const isRetry = last?.result === 'failed' && !last.refused && isSame(last, details);
  return isRetry ? last.key : `${status}/${at.getTime()}`;
}

/** Whether the supplier was told just that last, or is being told. */
export function isRepeated(invoice: Invoice, status: InvoiceStatus, details: StatusDetails): boolean {
  const current = currentOf(invoice);
  return current?.status === status && isSame(current, details);
}

function isSame(one: StatusDetails, other: StatusDetails): boolean {
  return (Object.keys(other) as (keyof StatusDetails)[]).every((name) => one[name] === other[name]);
}

/** The statuses with the result of a request; the same array if it is not about a pending one. */
export function withSettled(told: ProviderStatus[], settled: FeedbackSettled, at: Date): ProviderStatus[] {
  const { link_version, outcome, result, reason, refused } = settled;
  const isMeant = (one: ProviderStatus) =>
    one.version === link_version && one.status === outcome && one.result === 'pending';
  if (!told.some(isMeant)) return told;
  const accepted = result === 'sent';
  const end = { settled_at: at, failure: accepted ? null : (reason ?? 'the provider could not be told') };
  return told.map((one) =>
    isMeant(one) ? { ...one, ...end, result: accepted ? ('accepted' as const) : ('failed' as const), refused } : one,
  );
}

/** The statuses without a refusal that holds. */
export function withoutRefusal(told: ProviderStatus[]): ProviderStatus[] {
  return told.map((one) => (one.status === 'refused' ? { ...one, taken_back: true } : one));
}
