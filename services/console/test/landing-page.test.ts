import type { Permission } from '../src/session/permissions.ts';
import { landingPage } from '../src/shell/navigation/landing-page.ts';

test.each<['client' | 'contractor', Permission[], string]>([
  ['client', ['accounting'], '/invoices'],
  ['client', ['tickets'], '/tickets'],
  ['contractor', ['tickets'], '/tickets?view=to-answer'],
  // A contractor has no invoices.
  ['contractor', ['tickets', 'accounting'], '/tickets?view=to-answer'],
  ['client', ['api_webhooks'], '/webhooks'],
  ['client', ['tickets', 'accounting'], '/'],
  ['client', ['admin'], '/'],
  ['contractor', ['admin'], '/'],
  ['client', [], '/'],
])('a user of a %s with %j begins at %s', (kind, permissions, path) => {
  const company = { id: '1', name: 'Acme', kind };
  expect(landingPage({ permissions, company } as Parameters<typeof landingPage>[0])).toBe(path);
});
