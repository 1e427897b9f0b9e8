import { ApiError } from '../../src/api/errors.ts';
import { outcomeOf } from '../../src/pages/invoices/rules/outcome.ts';
import { anInvoice } from './invoices.ts';

const lost = new ApiError('no answer', { status: 0, code: 'no_answer' });
const broken = new ApiError('HTTP 500', { status: 500, code: 'internal_error' });
const refused = new ApiError('it is linked', { status: 409, code: 'invoice_state_forbidden' });
const link = { kind: 'link', target: { ticketId: 't1', viewId: 'v1' } } as const;
const [unlink, clear, resync] = [{ kind: 'unlink' }, { kind: 'clear' }, { kind: 'resync' }] as const;
const linked = anInvoice({ state: 'linked', ticket: 't1', view: 'v1' });
const queued = anInvoice({ state: 'ticket_unmatched' });
const concluded = { outcome: 'refused', code: 'recipient', reason: 'Not for us' } as const;
const conclude = { kind: 'conclude', concluded } as const;
const reopen = { kind: 'reopen' } as const;
const refusedOne = anInvoice({ state: 'done', conclusion: { ...concluded, invoiceId: null } });
const inReview = anInvoice({ state: 'manual_review' });

test.each([
  ['a link that is there', link, lost, linked, 'done'],
  ['a link that is there after a failure', link, broken, linked, 'done'],
  ['a link to another ticket', link, broken, { ...linked, ticket: 't2' }, 'failed'],
  ['a link to another contractor', link, broken, { ...linked, view: 'v2' }, 'failed'],
  ['a link that is not there after a failure', link, broken, queued, 'failed'],
  ['a link that is not there yet', link, lost, queued, 'unknown'],
  ['a link of which nothing can be read', link, lost, null, 'unknown'],
  ['a link that was refused', link, refused, linked, 'failed'],
  ['a refused link of which nothing can be read', link, refused, null, 'failed'],
  ['an unlink that is there', unlink, broken, queued, 'done'],
  ['an unlink that is not there', unlink, broken, linked, 'failed'],
  ['a cleared review', clear, lost, queued, 'done'],
  ['a review that stays', clear, broken, inReview, 'failed'],
  ['a refusal that is there', conclude, lost, refusedOne, 'done'],
  ['a refusal that is not there', conclude, broken, queued, 'failed'],
  ['one that was reopened', reopen, lost, queued, 'done'],
  ['one that was not', reopen, lost, refusedOne, 'unknown'],
  ['a resync, which leaves nothing to read', resync, lost, queued, 'unknown'],
] as const)('%s', (_, act, error, now, outcome) => {
  expect(outcomeOf(act, error, now)).toBe(outcome);
});
