/** What shows the platform on one's own machine, and stands around it: an AP provider, a receiver of webhooks. */
export const verbs = {
  flow: ['walks the whole integration flow on the running platform', () => import('./flow/flow.ts')],
  'approved-platform': [
    'invoices that arrive through a French approved platform',
    () => import('./flow/approved-platform-flow.ts'),
  ],
  sandbox: ['an AP provider to connect to', () => import('./sandbox-provider/sandbox.ts')],
  listen: ['receives webhooks, verifies and prints them', () => import('./listen/listen.ts')],
} as const;
