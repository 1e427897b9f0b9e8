import { type Concluded, reviewReasons, type State, type StepName } from './invoice.ts';

/** Codes of the reasons of an invoice and of its moves. docs/matching.md explains each. */
export const reasonCodes = [
  ...reviewReasons,
  'no_ticket',
  'tickets_suggested',
  'ticket_found',
  'supplier_unknown',
  'several_suppliers',
  ...([
    'linked',
    'unlinked',
    'link_undone',
    'review_cleared',
    'concluded',
    'reopened',
    'resynced',
    'content_replaced',
  ] as const),
  'content_unreadable',
  'unreadable',
  'step_failed',
  'retried',
  'deleted_at_provider',
  'feedback_refused',
  'feedback_confirmed',
  'other',
] as const;
type ReasonCode = (typeof reasonCodes)[number];

/** The values of a reason. Each code has some of them; `text` is a sentence of somebody else, unchanged. */
type ReasonValues = {
  count?: number;
  score?: number;
  ticket?: string;
  step?: StepName;
  failure?: string;
  attempt?: number;
  outcome?: Concluded['outcome'];
  text?: string;
};

type CodedReason = { code: ReasonCode; values: ReasonValues };

type Move = { from: State | null; to: State; reason: string | null };
type Form = { code: ReasonCode; pattern: RegExp; values?: (...groups: string[]) => ReasonValues };

/**
 * The sentences that rules store. They are read back rather than stored with a code: an invoice of any age has codes, and none
 * that contradict its sentences.
 */
const forms: readonly Form[] = [
  { code: 'no_ticket', pattern: /^no ticket comes near enough$/ },
  {
    code: 'tickets_suggested',
    pattern: /^one ticket, score (\d+)$/,
    values: (score) => ({ count: 1, score: Number(score) }),
  },
  {
    code: 'tickets_suggested',
    pattern: /^(\d+) tickets, best score (\d+)$/,
    values: (count, score) => ({ count: Number(count), score: Number(score) }),
  },
  { code: 'ticket_found', pattern: /^score (\d+): /, values: (score) => ({ score: Number(score) }) },
  { code: 'supplier_unknown', pattern: /^no contractor has this SIREN$/ },
  { code: 'several_suppliers', pattern: /^several contractors have this SIREN$/ },
  { code: 'iban_changed', pattern: /^the contractor is not known by this account$/ },
  {
    code: 'linked',
    pattern: /^linked to (.*?)(?:, because: (.*))?$/s,
    values: (ticket = '', text) => ({ ticket, ...(text && { text }) }),
  },
  { code: 'unlinked', pattern: /^unlinked by an operator$/ },
  { code: 'link_undone', pattern: /^link undone by an operator$/ },
  { code: 'review_cleared', pattern: /^cleared by an operator$/ },
  {
    code: 'concluded',
    pattern: /^(no_ticket|duplicate_of|refused): (.*)$/s,
    values: (outcome, text = '') => ({ outcome: outcome as Concluded['outcome'], text }),
  },
  { code: 'reopened', pattern: /^reopened by an operator$/ },
  { code: 'ticket_gone', pattern: /^its ticket was removed or canceled$/ },
  { code: 'resynced', pattern: /^asked for again$/ },
  { code: 'content_replaced', pattern: /^the provider has other content$/ },
  { code: 'content_unreadable', pattern: /^the new content cannot be read$/ },
  { code: 'changed_after_link', pattern: /^amount, supplier or account changed$/ },
  {
    code: 'provider_status',
    pattern: /^(?:the supplier canceled|a platform rejected) this invoice(?:: (.*))?$/s,
    values: (text) => (text ? { text } : {}),
  },
  { code: 'deleted_at_provider', pattern: /^the provider has this invoice no more$/ },
  { code: 'feedback_confirmed', pattern: /^the provider needs to confirm nothing more$/ },
  { code: 'retried', pattern: /^try (\d+)$/, values: (attempt) => ({ attempt: Number(attempt) }) },
  {
    code: 'step_failed',
    pattern: /^(normalize|supplier|ticket|feedback): (\w+)$/,
    values: (step, failure = '') => ({ step: step as StepName, failure }),
  },
];

/** A reason of an invoice as a code; `other` with the sentence itself if no rule of this release has that wording. */
export function codedReason(reason: string): CodedReason {
  const review = reviewReasons.find((one) => one === reason);
  if (review) return { code: review, values: {} };
  for (const { code, pattern, values } of forms) {
    const [whole, ...groups] = pattern.exec(reason) ?? [];
    if (whole !== undefined) return { code, values: values?.(...groups) ?? {} };
  }
  return { code: 'other', values: { text: reason } };
}

/** The reasons of a move: several if it went to review. */
export function codedMove({ from, to, reason }: Move): CodedReason[] {
  if (reason === null) return [];
  // The sentence comes from the provider, or from the reader of the file.
  if (to === 'error' && from === 'feedback_pending') return [{ code: 'feedback_refused', values: { text: reason } }];
  const names = reason.split(', ');
  if (names.every((name) => reviewReasons.some((one) => one === name))) return names.map(codedReason);
  const coded = codedReason(reason);
  return [to === 'error' && from === 'received' && coded.code === 'other' ? { ...coded, code: 'unreadable' } : coded];
}
