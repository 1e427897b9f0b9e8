/** The commands of operators. */
export const verbs = {
  migrate: ['brings databases, indexes and queues to this version', () => import('./migrate/migrate.ts')],
  restored: ['makes all services agree again after a restore', () => import('./restored/restored.ts')],
  'dead-letters': ['lists, shows, replays and drops dead letters', () => import('./dead-letters/dead-letters.ts')],
  're-encrypt': ['encrypts stored secrets by the first key', () => import('./re-encrypt/re-encrypt.ts')],
  'rebuild-projections': [
    'has invoice-reconciliation told again what it keeps of others',
    () => import('./rebuild-projections/rebuild-projections.ts'),
  ],
  'rebuild-statistics': [
    'has the figures of tickets and invoices counted anew',
    () => import('./rebuild-statistics/rebuild-statistics.ts'),
  ],
  settings: ['checks settings for production, and makes secrets', () => import('./settings/settings.ts')],
} as const;
