import {
  type HeardStatuses,
  type InvoiceStatus,
  type LifeCycle,
  type StatusDetails,
  type StatusField,
  statusRule,
} from './statuses.ts';

/** A status that was told, or is being told. `taken_back`: it holds no more. */
export type ToldStatus = {
  status: InvoiceStatus;
  result: 'pending' | 'accepted' | 'failed';
  taken_back?: boolean;
};

/**
 * `told`: oldest first. `isEnded`: the invoice was refused, rejected or canceled at the provider. `isPlaced`: it is on a ticket, or
 * a person said that it belongs to none.
 */
export type StatusFacts = {
  heard: HeardStatuses;
  told: readonly ToldStatus[];
  isEnded: boolean;
  isPlaced: boolean;
  /** Absent if the provider is no approved platform. */
  lifeCycle: LifeCycle | undefined;
};

export const statusObstacles = [
  'not_heard',
  'not_sendable',
  'international',
  'final',
  'order',
  'already',
  'not_disputed',
  'not_placed',
] as const;
export type StatusObstacle = (typeof statusObstacles)[number];

const sentences: Record<StatusObstacle, string> = {
  not_heard: 'the provider of this invoice does not pass this status on',
  not_sendable: 'not sendable: the invoice lacks what a message to its supplier needs',
  international: 'an invoice between countries (B2BInt) takes no status but a payment',
  final: 'the invoice was refused, rejected or canceled: nothing follows that',
  order:
    'the supplier was told a later stage: first taken in charge or refused, then approved, disputed or suspended, then paid',
  already: 'the supplier was told so last',
  not_disputed: 'the provider passes an approval on only as the end of a dispute',
  not_placed: 'an invoice is approved once it is on a ticket, or a person said that it belongs to none',
};

export function obstacleSentence(obstacle: StatusObstacle, { lifeCycle }: Pick<StatusFacts, 'lifeCycle'>): string {
  const lacks = obstacle === 'not_sendable' ? lifeCycle?.lacks : undefined;
  return lacks ? `${sentences[obstacle]}: ${lackSentences[lacks]}` : sentences[obstacle];
}

export const lackSentences = {
  supplier_siren: 'the SIREN of the supplier (BT-30)',
  buyer_siren: 'the SIREN of the buyer (BT-47)',
  supplier_address: 'the electronic address of the supplier (BT-34), and the directory has none in use',
  type_code: 'a type (BT-3) that the rules know',
} as const satisfies Record<NonNullable<LifeCycle['lacks']>, string>;

/** The statuses that stand: not those that failed or were taken back. */
export function standing<T extends ToldStatus>(told: readonly T[]): T[] {
  return told.filter(({ result, taken_back }) => result !== 'failed' && !taken_back);
}

/** The rules name no order within the treatment: what is in dispute, or suspended, may yet be refused. */
const endedByRefusal: readonly InvoiceStatus[] = ['disputed', 'suspended'];

/** Why a status may not be told now; null if it may. */
export function obstacleTo(status: InvoiceStatus, facts: StatusFacts): StatusObstacle | null {
  const { heard, isEnded, isPlaced, lifeCycle } = facts;
  const capability = heard[status];
  if (!capability) return 'not_heard';
  if (lifeCycle?.rule === 'B2BInt' && status !== 'payment_sent') return 'international';
  if (lifeCycle?.lacks) return 'not_sendable';
  const told = standing(facts.told);
  const last = told.at(-1)?.status;
  if (isEnded || told.some((one) => statusRule(one.status).final)) return 'final';
  // Elsewhere "taken in charge" only says which ticket the invoice is on.
  const isOrdered = status !== 'taken_in_charge' || lifeCycle !== undefined;
  const later = told.filter((one) => statusRule(one.status).stage > statusRule(status).stage);
  const isLate = later.some((one) => status !== 'refused' || !endedByRefusal.includes(one.status));
  if (isOrdered && isLate) return 'order';
  if (status === 'approved' && last === 'approved') return 'already';
  if (capability.onlyAfter !== undefined && capability.onlyAfter !== last) return 'not_disputed';
  if ((status === 'approved' || status === 'partly_approved') && !isPlaced) return 'not_placed';
  return null;
}

/** `ht`: the total of the invoice without VAT. `today`: `YYYY-MM-DD`. */
type Checked = { heard: HeardStatuses; ht: number; today: string };
type Fault = { path: StatusField; message: string };

/** What is wrong with the fields of a status. */
export function detailFaults(status: InvoiceStatus, details: StatusDetails, { heard, ht, today }: Checked): Fault[] {
  const { needs, takes } = statusRule(status);
  const { reason, amount, date } = details;
  const reasons = heard[status]?.reasons ?? statusRule(status).reasons;
  const faults = (Object.keys(details) as StatusField[]).flatMap((path): Fault[] => {
    if (details[path] === null) return needs.includes(path) ? [{ path, message: `${status} needs ${path}` }] : [];
    const isTaken = needs.includes(path) || takes.includes(path);
    return isTaken ? [] : [{ path, message: `${status} has no ${path}` }];
  });
  if (faults.length > 0) return faults;
  if (reason !== null && !reasons.includes(reason)) {
    return [{ path: 'reason', message: `reason of ${status} must be one of ${reasons.join(', ')}` }];
  }
  if (status === 'partly_approved' && amount !== null && amount >= ht) {
    return [{ path: 'amount', message: 'amount must be less than the total of the invoice without VAT' }];
  }
  return date !== null && date > today ? [{ path: 'date', message: 'date must not be in the future' }] : [];
}
