import {
  allStatuses,
  detailFaults,
  type HeardStatuses,
  type InvoiceStatus,
  invoiceStatuses,
  noDetails,
  obstacleSentence,
  obstacleTo,
  type StatusFacts,
  statusObstacles,
  statusReasons,
  statusRule,
  type ToldStatus,
} from '../index.ts';

const lifeCycle = { rule: 'B2B', lacks: null, address: null };
const facts = (given: Partial<StatusFacts> = {}): StatusFacts => ({
  heard: allStatuses,
  told: [],
  isEnded: false,
  isPlaced: true,
  lifeCycle,
  ...given,
});
const told = (...statuses: InvoiceStatus[]): ToldStatus[] =>
  statuses.map((status) => ({ status, result: 'accepted' as const }));
const after = (...statuses: InvoiceStatus[]) => {
  const known = facts({ told: told(...statuses) });
  return invoiceStatuses.filter((status) => obstacleTo(status, known) === null);
};

test.each([
  ['nothing', [], invoiceStatuses],
  ['taken in charge', ['taken_in_charge'], invoiceStatuses],
  ['a dispute', ['disputed'], ['approved', 'partly_approved', 'disputed', 'suspended', 'refused', 'payment_sent']],
  ['a dispute that ended', ['disputed', 'approved'], ['partly_approved', 'disputed', 'suspended', 'payment_sent']],
  ['an approval', ['approved'], ['partly_approved', 'disputed', 'suspended', 'payment_sent']],
  ['a payment', ['approved', 'payment_sent'], ['payment_sent']],
  ['a refusal', ['taken_in_charge', 'refused'], []],
] as const)('after %s may be told what the stages allow', (_what, before, expected) => {
  expect(after(...before)).toEqual(expected);
});

test('what failed, or was taken back, forbids nothing; what is pending does', () => {
  const [refused] = told('refused') as [ToldStatus];
  const obstacle = (one: ToldStatus) => obstacleTo('approved', facts({ told: [one] }));
  expect(obstacle({ ...refused, result: 'failed' })).toBeNull();
  expect(obstacle({ ...refused, taken_back: true })).toBeNull();
  expect(obstacle({ ...refused, result: 'pending' })).toBe('final');
});

test('check 20: nothing follows a refusal, a rejection or a cancellation at the provider', () => {
  for (const status of invoiceStatuses) expect(obstacleTo(status, facts({ isEnded: true }))).toBe('final');
});

test('check 16: an invoice between countries takes a payment alone; what lacks an address or a SIREN takes nothing', () => {
  const open = (given: Partial<StatusFacts>) => invoiceStatuses.filter((one) => obstacleTo(one, facts(given)) === null);
  expect(open({ lifeCycle: { ...lifeCycle, rule: 'B2BInt' } })).toEqual(['payment_sent']);
  const lacking = facts({ lifeCycle: { ...lifeCycle, lacks: 'supplier_address' } });
  expect(invoiceStatuses.map((one) => obstacleTo(one, lacking))).toEqual(invoiceStatuses.map(() => 'not_sendable'));
  expect(obstacleSentence('not_sendable', lacking)).toContain('the electronic address of the supplier (BT-34)');
});

test('an invoice in doubt is not approved, and may be disputed', () => {
  const doubtful = facts({ isPlaced: false });
  expect(obstacleTo('approved', doubtful)).toBe('not_placed');
  expect(obstacleTo('partly_approved', doubtful)).toBe('not_placed');
  expect(obstacleTo('disputed', doubtful)).toBeNull();
});

test('a provider is told what it passes on, and an approval after a dispute if it takes it as the end of one', () => {
  const heard: HeardStatuses = { approved: { reasons: [], onlyAfter: 'disputed' }, disputed: { reasons: ['quality'] } };
  expect(obstacleTo('suspended', facts({ heard }))).toBe('not_heard');
  expect(obstacleTo('approved', facts({ heard }))).toBe('not_disputed');
  expect(obstacleTo('approved', facts({ heard, told: told('disputed') }))).toBeNull();
});

test('where a link is no message, it is told whatever was told before', () => {
  const known = facts({ lifeCycle: undefined, told: told('payment_sent') });
  expect(obstacleTo('taken_in_charge', known)).toBeNull();
  expect(obstacleTo('taken_in_charge', facts({ told: told('payment_sent') }))).toBe('order');
});

test('each obstacle has a sentence', () => {
  for (const obstacle of statusObstacles) expect(obstacleSentence(obstacle, facts())).toMatch(/^\w.{15,}/);
});

const checked = { heard: allStatuses, ht: 100, today: '2026-11-20' };
const faultsOf = (status: InvoiceStatus, given: object) =>
  detailFaults(status, { ...noDetails, ...given }, checked).map(({ path, message }) => `${path}: ${message}`);

test('check 13: each status takes only its reasons', () => {
  for (const status of invoiceStatuses) {
    const { reasons, needs } = statusRule(status);
    const note = needs.includes('note') ? { note: 'why' } : {};
    if (!needs.includes('reason')) continue;
    const taken = statusReasons.filter((reason) => faultsOf(status, { reason, ...note }).length === 0);
    expect([status, [...taken].sort()]).toEqual([status, [...reasons].sort()]);
  }
});

test.each([
  ['refused', { reason: 'total' }, ['note: refused needs note']],
  ['disputed', { note: 'cold' }, ['reason: disputed needs reason']],
  ['suspended', { reason: 'document_missing' }, ['note: suspended needs note']],
  ['approved', { reason: 'total' }, ['reason: approved has no reason']],
  ['payment_sent', { amount: 1 }, ['date: payment_sent needs date']],
  ['payment_sent', { amount: 1, date: '2026-11-21' }, ['date: date must not be in the future']],
  ['payment_sent', { amount: 500, date: '2026-11-20' }, []],
  ['partly_approved', { reason: 'delivery', amount: 100 }, [expect.stringContaining('amount: amount must be less')]],
  ['partly_approved', { reason: 'delivery', amount: 99.99, action: 'partial_credit' }, []],
] as const)('check 13: %s with %j has the faults %j', (status, given, expected) => {
  expect(faultsOf(status, given)).toEqual(expected);
});
