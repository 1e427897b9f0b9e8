import { connectionHealth } from '../src/pages/connections/connection-health.ts';

const ok = { status: 'ok', reason: null, since: null } as const;
const refused = { status: 'unhealthy', reason: 'credentials_refused', since: '2026-11-24T10:00:00.000Z' } as const;
const lastPolledAt = '2026-11-24T09:55:00.000Z';

test.each([
  ['is not called healthy before its first check', { active: true, health: ok, lastPolledAt: null }, 'unchecked'],
  ['is healthy after a check', { active: true, health: ok, lastPolledAt }, 'healthy'],
  ['that was never checked says why not', { active: true, health: refused, lastPolledAt: null }, 'credentials_refused'],
  ['that fails after checks says why', { active: true, health: refused, lastPolledAt }, 'credentials_refused'],
  ['that is paused is neither healthy nor failing', { active: false, health: refused, lastPolledAt: null }, 'paused'],
] as const)('a connection %s', (_case, connection, health) => {
  expect(connectionHealth(connection)).toBe(health);
});
