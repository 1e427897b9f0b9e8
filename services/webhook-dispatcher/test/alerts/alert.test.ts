import { type AlertedEndpoint, alertMail, alertRetryAt } from '../../alerts/alert.ts';
import { type AttemptError, describeError } from '../../attempt.ts';
import { type Outcome, suggestsFailing } from '../../deliveries/delivery.ts';
import { type HealthIssue, healthResponse } from '../../endpoints/endpoint-health.ts';

const since = new Date('2026-11-21T08:00:00.000Z');
const healthIssue: HealthIssue = { status: 'failing', since, error: 'timeout', statusCode: null };

function alerted(id: string, given: Partial<AlertedEndpoint> = {}): AlertedEndpoint {
  const alert = { id: `alert-${id}`, at: since, dueAt: since, tries: 0 };
  const url = 'https://erp.example.com:8443/hooks/s3cret?key=hush#x';
  return { id, companyId: 'company', name: `ERP ${id}`, url, healthIssue, alert, ...given };
}

test.each<[Outcome['status'], number, boolean]>([
  ['failed', 1, false],
  ['failed', 3, false],
  ['failed', 4, true],
  ['failed', 5, true],
  ['exhausted', 1, true],
  ['exhausted', 6, true],
  ['succeeded', 6, false],
])('%s after %i attempts suggests a failing endpoint: %p', (status, tries, shows) => {
  expect(suggestsFailing({ status, nextAttemptAt: null }, tries)).toBe(shows);
});

test('health is described in words, also for endpoints that were disabled before it was stored', () => {
  expect(healthResponse({ disabledReason: null })).toEqual({ health: 'ok', healthSince: null, lastError: null });
  expect(healthResponse({ disabledReason: null, healthIssue })).toEqual({
    health: 'failing',
    healthSince: '2026-11-21T08:00:00.000Z',
    lastError: 'the answer did not come whole in time',
  });
  expect(healthResponse({ disabledReason: 'too many' })).toEqual({
    health: 'disabled',
    healthSince: null,
    lastError: null,
  });
});

test.each<[AttemptError, number | null, RegExp]>([
  ['status_not_2xx', 503, /status 503/],
  ['redirect_refused', 302, /redirect.*status 302/],
  ['tls_failed', null, /certificate/],
  ['dns_failed', null, /host name/],
])('the failure %s, status %p, is a sentence', (error, statusCode, words) => {
  expect(describeError({ error, statusCode })).toMatch(words);
});

test('an e-mail names endpoint, host, error and what to do, and nothing secret', () => {
  const { subject, text, to } = alertMail([alerted('a')], ['a@example.com'], 'https://ts.example.com/docs');
  expect(subject).toBe('Webhook endpoint "ERP a" is failing');
  expect(to).toEqual(['a@example.com']);
  for (const part of [
    'erp.example.com:8443',
    'did not come whole in time',
    'What to do',
    'https://ts.example.com/docs',
  ])
    expect(text).toContain(part);
  for (const secret of ['s3cret', 'hush', 'hooks'])
    expect(text.replace(/Webhooks?|webhooks?/g, '')).not.toContain(secret);
});

test('one e-mail for all endpoints of a company; the same alerts have the same id', () => {
  const disabled = alerted('b', { healthIssue: { ...healthIssue, status: 'disabled' } });
  const mail = alertMail([alerted('a'), disabled], ['a@example.com'], null);
  expect(mail.subject).toBe('2 webhook endpoints need your attention');
  expect(mail.text).toContain('"ERP a" is failing since');
  expect(mail.text).toContain('"ERP b" was disabled on');
  expect(alertMail([disabled, alerted('a')], ['b@example.com'], null).id).toBe(mail.id);
  expect(alertMail([disabled], ['a@example.com'], null).id).not.toBe(mail.id);
});

test.each([
  [0, 0, 60_000],
  [1, 60_000, 300_000],
  [3, 3_600_000, 3_600_000],
  [20, 22 * 3_600_000, 3_600_000],
])('after %i attempts, %i ms old, an alert is retried in %i ms', (tries, ageMs, delayMs) => {
  const now = new Date(since.getTime() + ageMs);
  const next = alertRetryAt({ id: 'n', at: since, dueAt: since, tries }, now);
  expect(next?.getTime()).toBe(now.getTime() + delayMs);
});

test('an alert of more than a day ago expires', () => {
  const now = new Date(since.getTime() + 23.5 * 3_600_000);
  expect(alertRetryAt({ id: 'n', at: since, dueAt: since, tries: 20 }, now)).toBeNull();
});
