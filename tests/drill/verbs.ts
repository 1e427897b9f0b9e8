/** What a platform of two processes each is put through: for `npm run test:slow`, and before a release. */
export const verbs = {
  faults: [
    'kills, stops and cuts off everything under load, and compares the books',
    () => import('../faults/main.ts'),
  ],
  soak: ['an hour at half of what the platform can do: nothing may grow', () => import('../soak/main.ts')],
  alerts: ['causes the fault of each alert: each must fire', () => import('../alerts/main.ts')],
  'rolling-upgrade': [
    'replaces every process of the release before, and back, under load',
    () => import('../rolling-upgrade/main.ts'),
  ],
} as const;
