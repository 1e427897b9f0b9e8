/** A page of the guide: `source` is its file, from the root of the repository. */
export type Page = { slug: string; source: string; title: string; description: string };

/** In the order of the sidebar. The pages are those of the repository: the guide has no copies. */
export const pages: Page[] = [
  {
    slug: 'index',
    source: 'docs/quick-start.md',
    title: 'Quick start',
    description: 'Five requests: log in, make a token, open a ticket, list tickets, hear of events.',
  },
  {
    slug: 'api',
    source: 'docs/api.md',
    title: 'What every operation shares',
    description: 'Checks, retries, errors, credentials, lists, uploads and limits.',
  },
  {
    slug: 'errors',
    source: 'docs/errors.md',
    title: 'Error codes',
    description: 'What each code means, and what to do.',
  },
  {
    slug: 'recipes',
    source: 'docs/recipes.md',
    title: 'Recipes',
    description: 'A purchasing system, a program that follows invoices, a receiver of webhooks.',
  },
  {
    slug: 'webhooks',
    source: 'docs/webhooks.md',
    title: 'Webhooks',
    description: 'Every event, retries, and receivers that verify the signature in five languages.',
  },
  { slug: 'tickets', source: 'docs/tickets.md', title: 'Tickets', description: 'The rules of tickets.' },
  {
    slug: 'ticket-status',
    source: 'docs/ticket-status.md',
    title: 'Moves of a ticket',
    description: 'What moves a ticket from one status to another.',
  },
  {
    slug: 'purchases',
    source: 'docs/purchases.md',
    title: 'Purchase documents',
    description: 'Requests, orders and goods receipts on a ticket.',
  },
  {
    slug: 'invoices',
    source: 'docs/invoices.md',
    title: 'Invoices',
    description: 'How supplier invoices come in and find their ticket.',
  },
  {
    slug: 'approved-platforms',
    source: 'docs/approved-platforms.md',
    title: 'Approved platforms',
    description: 'How a company is connected to its French approved platform, and what each status means.',
  },
  {
    slug: 'matching',
    source: 'docs/matching.md',
    title: 'Matching',
    description: 'How a ticket is found for an invoice.',
  },
  {
    slug: 'accountant',
    source: 'docs/people/accountant.md',
    title: 'For accountants',
    description: 'Matching invoices with tickets, and what must be looked at first.',
  },
  {
    slug: 'facility-manager',
    source: 'docs/people/facility-manager.md',
    title: 'For facility managers',
    description: 'Tickets from their creation to their end.',
  },
  {
    slug: 'contractor',
    source: 'docs/people/contractor.md',
    title: 'For contractors',
    description: 'Answer, quote, plan and report, from a phone.',
  },
  {
    slug: 'integrator',
    source: 'docs/people/integrator.md',
    title: 'For integrators',
    description: 'Endpoints, deliveries and tokens in the console.',
  },
  {
    slug: 'admin',
    source: 'docs/people/admin.md',
    title: 'For company administrators',
    description: 'Users, connections, directory, audit.',
  },
  {
    slug: 'operator',
    source: 'docs/people/operator.md',
    title: 'For platform operators',
    description: 'Companies and their first users.',
  },
  {
    slug: 'changelog',
    source: 'CHANGELOG.md',
    title: 'Changelog',
    description: 'What callers notice of each release.',
  },
];

/** Where the gateway serves the site. */
export const base = '/guide';

/** Sections of the page about all operations, which readers look for by name. */
const shared = [
  ['Authentication', 'credentials'],
  ['Errors', 'errors'],
  ['Retries and idempotency', 'retries-idempotency-key'],
  ['Paging', 'lists'],
  ['Limits', 'limits'],
] as const;

type Entry = { label: string; link: string };

export const sidebar: { label: string; items: Entry[] }[] = [
  { label: 'Start', items: [entryOf('index'), entryOf('recipes')] },
  {
    label: 'The API',
    items: [
      entryOf('api'),
      ...shared.map(([label, anchor]) => ({ label, link: `/api/#${anchor}` })),
      entryOf('errors'),
    ],
  },
  { label: 'Webhooks', items: [entryOf('webhooks')] },
  { label: 'Rules', items: ['tickets', 'ticket-status', 'purchases', 'invoices', 'matching'].map(entryOf) },
  {
    label: 'The console',
    items: ['accountant', 'facility-manager', 'contractor', 'integrator', 'admin', 'operator'].map(entryOf),
  },
  { label: 'Releases', items: [entryOf('changelog')] },
];

function entryOf(slug: string): Entry {
  const page = pages.find((one) => one.slug === slug);
  if (!page) throw new Error(`the guide has no page ${slug}`);
  return { label: page.title, link: slug === 'index' ? '/' : `/${slug}/` };
}
