import type { CanonicalInvoice } from '@app/contracts';
import { newId } from '@app/kernel';
import {
  decodeAmounts,
  encodeAmounts,
  type LinkedInvoiceRecord,
  type LinkedToTicket,
  toLinked,
} from '../../invoices/linked-amounts.ts';
import { canonical } from '../invoices.ts';

const ticket = newId();
const another = newId();

const linked = (given: Partial<CanonicalInvoice>, where: Partial<LinkedInvoiceRecord> = {}): LinkedInvoiceRecord => ({
  _id: newId(),
  ticket_id: ticket,
  claims: [],
  siren: '732829320',
  references: [],
  canonical: { ...canonical, ...given },
  ...where,
});
const replacing = (number: string) => ({
  kind: 'corrective' as const,
  number: 'FA-9',
  amounts: { ht: 90, tva: 18, ttc: 108 },
  references: [{ kind: 'preceding_invoice' as const, value: number }],
});
const credit = (sign: number) => ({
  kind: 'credit_note' as const,
  amounts: { ht: 30 * sign, tva: 6 * sign, ttc: 36 * sign },
});
const counted = (...all: LinkedInvoiceRecord[]) => toLinked(all).map(({ ht, ttc }) => `${ht}/${ttc}`);

test.each([
  ['an invoice', [linked({})], ['100/120']],
  ['a credit note of positive amounts (EN 16931)', [linked(credit(1))], ['-30/-36']],
  ['a credit note of negative amounts', [linked(credit(-1))], ['-30/-36']],
  ['an invoice that a corrective one replaces', [linked({}), linked(replacing('fa 0001'))], ['0/0', '90/108']],
  ['a corrective invoice that names itself', [linked(replacing('FA-9'))], ['90/108']],
  [
    'one that a corrective invoice names from another ticket',
    [linked({}), linked(replacing('FA-1'), { ticket_id: another })],
    ['100/120', '90/108'],
  ],
  ['one of another supplier', [linked({}), linked(replacing('FA-1'), { siren: null })], ['100/120', '90/108']],
  ['one that could not be read', [linked({}, { canonical: null })], ['0/0']],
] as const)('linked amounts of a ticket: %s', (_what, all, expected) => {
  expect(counted(...all)).toEqual(expected);
});

test.each([
  ['an invoice', {}],
  ['one of cents', { amounts: { ht: 0.1, tva: 0.02, ttc: 0.12 } }],
  ['a credit note of positive amounts', credit(1)],
  ['a credit note of negative amounts', credit(-1)],
  ['a corrective invoice', replacing('FA-9')],
] as const)('the index gives the same amounts for %s', (_what, given) => {
  const one = linked(given);
  const [{ ht, ttc }] = toLinked([one]) as [LinkedToTicket];
  const replaces = one.canonical?.kind === 'corrective';
  expect(decodeAmounts(encodeAmounts({ canonical: { ...canonical, ...given } }))).toEqual({ ht, ttc, replaces });
});

test('an unread invoice counts zero', () => {
  expect(decodeAmounts(encodeAmounts({ canonical: null }))).toEqual({ ht: 0, ttc: 0, replaces: false });
});

test('an invoice that counts zero still has its slot on the ticket', () => {
  const [first] = toLinked([linked({}, { claims: ['t:a:1'] }), linked(replacing('FA-1'))]);
  expect(first).toMatchObject({ ticketId: ticket, claims: ['t:a:1'], ht: 0 });
});
