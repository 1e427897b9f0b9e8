import { passes, signatureVerdict, vulnerabilityVerdict } from '../verdict.ts';

const counts = (high: number) => ({ info: 0, low: 3, moderate: 2, high, critical: 0, total: 5 + high });

test.each([
  ['nothing that is high', { metadata: { vulnerabilities: counts(0) }, vulnerabilities: {} }, 'good'],
  [
    'no endpoint for audits',
    { message: '405 Method Not Allowed', statusCode: 405, error: { summary: '' } },
    'unanswered',
  ],
])('vulnerabilities: %s', (_what, output, outcome) => {
  expect(vulnerabilityVerdict(JSON.stringify(output))).toMatchObject({ outcome });
});

test('a high vulnerability is bad, and named; a moderate one is not', () => {
  const vulnerabilities = { express: { severity: 'high' }, ms: { severity: 'moderate' } };
  const output = { metadata: { vulnerabilities: counts(1) }, vulnerabilities };
  expect(vulnerabilityVerdict(JSON.stringify(output))).toEqual({
    outcome: 'bad',
    text: 'vulnerabilities: express (high); see npm audit',
  });
});

test.each([
  ['none is wrong', JSON.stringify({ invalid: [], missing: [{ name: 'old' }] }), 'good'],
  ['one is wrong', JSON.stringify({ invalid: [{ name: 'express', version: '5.0.0' }], missing: [] }), 'bad'],
  ['no keys', JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'request failed' } }), 'unanswered'],
  ['no output at all', '', 'unanswered'],
])('signatures: %s', (_what, output, outcome) => {
  expect(signatureVerdict(output)).toMatchObject({ outcome });
});

test.each([
  ['good', false, true],
  ['bad', false, false],
  ['bad', true, false],
  ['unanswered', false, false],
  ['unanswered', true, true],
] as const)('what is %s, offline %s, passes: %s', (outcome, isOffline, expected) => {
  expect(
    passes(
      [
        { outcome: 'good', text: '' },
        { outcome, text: '' },
      ],
      { isOffline },
    ),
  ).toBe(expected);
});
