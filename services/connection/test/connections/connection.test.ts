import { isCallable, type ProviderAccount } from '../../connections/connection.ts';

const at = (time: string) => new Date(`2026-11-21T${time}Z`);
const active: ProviderAccount = {
  id: 'a',
  client: 'c',
  provider: 'sandbox',
  state: 'active',
  sealedCredentials: { apiKey: 'sealed' },
  sealedWebhookSecret: null,
  organizationId: null,
  subscription: null,
  subscriptionCheckedAt: null,
  pollFailures: 0,
  credentialsVersion: 1,
  health: 'ok',
  credentialsRefused: false,
  pausedUntil: null,
  createdAt: at('08:00:00'),
  lastPolledAt: null,
  seenUntil: null,
};

test.each([
  ['an active connection', {}, true],
  ['one that is off', { state: 'inactive' }, false],
  ['a deleted one', { state: 'deleted' }, false],
  ['one without credentials', { sealedCredentials: null }, false],
  ['one that is paused', { pausedUntil: at('12:00:01') }, false],
  ['one whose pause is over', { pausedUntil: at('12:00:00') }, true],
] as const)('whether %s may be called', (_case, given, may) => {
  expect(isCallable({ ...active, ...given }, at('12:00:00'))).toBe(may);
});
