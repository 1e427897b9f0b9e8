import { actionCodes, refusalReasons } from '@app/contracts';
import { ApiError } from '../../src/api/errors.ts';
import { refusalCodes } from '../../src/pages/invoices/rules/conclusion.ts';
import { outcomeOf } from '../../src/pages/invoices/rules/outcome.ts';
import {
  isTold,
  requestedActions,
  type Sendable,
  type StatusDetails,
  toldOf,
} from '../../src/pages/invoices/rules/telling.ts';
import { anInvoice } from './invoices.ts';

const dispute: Sendable = { status: 'disputed', reasons: ['quality'], needs: ['reason', 'note'], takes: ['action'] };
const details: StatusDetails = { reason: 'quality', note: ' Cold ', amount: 5, date: null, action: null };
const told = { ...details, status: 'disputed', note: 'Cold', amount: null } as const;
const last = {
  ...told,
  result: 'pending',
  failure: null,
  at: '2026-11-20T10:00:00Z',
  settledAt: null,
  by: null,
} as const;
const withLast = (given: object) =>
  anInvoice({
    supplierStatus: {
      current: null,
      told: [{ ...last, ...given }],
      sendable: [],
      obstacle: null,
      suggested: null,
      receivesAt: null,
      directoryFailure: null,
    },
  });

test('a status takes the fields that it has, and none without those that it needs', () => {
  expect(toldOf(dispute, details)).toEqual(told);
  expect(toldOf(dispute, { ...details, note: ' ' })).toBeNull();
  expect(toldOf(dispute, { ...details, reason: null })).toBeNull();
});

test.each([
  ['the same', {}, true],
  ['another note', { note: 'Wet' }, false],
  ['another status', { status: 'suspended' }, false],
  ['the same, which failed', { result: 'failed' }, false],
] as const)('what the supplier was told last: %s', (_what, given, expected) => {
  expect(isTold(withLast(given), told)).toBe(expected);
});

test('after a lost answer the invoice says whether the supplier is told', () => {
  const lost = new ApiError('lost', { status: 0, code: 'offline' });
  expect(outcomeOf({ kind: 'tell', told }, lost, withLast({}))).toBe('done');
  expect(outcomeOf({ kind: 'tell', told }, lost, anInvoice())).toBe('unknown');
});

test('the reasons of a refusal and the actions that people choose from are those of the API', () => {
  expect(refusalCodes).toEqual(refusalReasons);
  expect(requestedActions).toEqual(Object.keys(actionCodes));
});
