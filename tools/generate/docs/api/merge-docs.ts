import type { HostName } from '../../../../services/gateway/routing/routes.ts';

type Json = Record<string, unknown>;
/** The document of a service; each operation names its host in `x-host`. */
export type ServiceDocs = {
  paths?: Record<string, Json>;
  /** The webhooks that the service sends, by name. */
  webhooks?: Record<string, Json>;
  components?: Record<string, Json>;
};

const about: Record<HostName, { title: string; description: string }> = {
  ticket: {
    title: 'Ticket API',
    description: 'Tickets, their notes, dates, quotes, documents and purchases, contractors and referentials.',
  },
  ts: {
    title: 'Second API',
    description: 'Sessions, API tokens, webhook endpoints, invoices and their connections, platform administration.',
  },
  download: { title: 'Downloads', description: 'Files, by the signed links that the other APIs give.' },
};

/** The OpenAPI 3.1 document of one host, merged from the documents of the services behind it. */
export function mergeDocs(host: HostName, url: string, services: ServiceDocs[]): Json {
  const paths: Record<string, Json> = {};
  const webhooks: Record<string, Json> = {};
  const components: Record<string, Json> = {};
  for (const service of services) {
    addOperations(host, paths, service.paths);
    addOperations(host, webhooks, service.webhooks);
    for (const [kind, named] of Object.entries(service.components ?? {})) {
      components[kind] = { ...components[kind], ...named };
    }
  }
  return {
    openapi: '3.1.0',
    info: { ...about[host], ...publisher, version: '3.0' },
    servers: [{ url }],
    tags: tagsOf(paths),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(Object.keys(webhooks).length === 0 ? {} : { webhooks }),
    components: { securitySchemes: schemesOf[host], ...usedComponents({ paths, webhooks }, components) },
  };
}

function addOperations(host: HostName, to: Record<string, Json>, items: Record<string, Json> = {}): void {
  for (const [name, operations] of Object.entries(items)) {
    const own = operationsOf(host, operations);
    if (own.length > 0) to[name] = { ...to[name], ...Object.fromEntries(own) };
  }
}

const publisher = {
  contact: { name: 'API support' },
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
};

/**
 * The components that the operations refer to, directly or through other components. Those of the other host are left
 * out.
 */
function usedComponents(operations: Json, components: Record<string, Json>): Record<string, Json> {
  const used: Record<string, Json> = {};
  const waiting: unknown[] = [operations];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, kind = '', name = ''] of JSON.stringify(next).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      const component = components[kind]?.[name];
      if (component === undefined || used[kind]?.[name] !== undefined) continue;
      used[kind] = { ...used[kind], [name]: component };
      waiting.push(component);
    }
  }
  return used;
}

function operationsOf(host: HostName, operations: Json): [string, Json][] {
  return Object.entries(operations).flatMap(([method, operation]) => {
    const { 'x-host': on, ...shown } = operation as Json;
    return on === host ? [[method, shown] as [string, Json]] : [];
  });
}

function tagsOf(paths: Record<string, Json>): Json[] {
  const operations = Object.values(paths).flatMap((path) => Object.values(path)) as { tags?: string[] }[];
  const names = [...new Set(operations.flatMap(({ tags = [] }) => tags))].sort();
  return names.map((name) => ({ name, ...(tags[name] ? { description: tags[name] } : {}) }));
}

const tags: Record<string, string> = {
  'API tokens': 'Credentials of programs for the ticket API.',
  'Audit log': 'Who did what in the own company, when and from where.',
  Contractors: 'The directory of contractors of a client.',
  'Custom fields': 'Fields that a client adds to tickets and contractors.',
  Dates: 'Visits and interventions of a ticket, planned and actual.',
  Documents: 'The Documents tab of a ticket, and the links to its files.',
  Domains: 'Domains of work that tickets name.',
  'E-mail': 'Answers to e-mails, and the link that ends e-mails of a kind.',
  Equipments: 'Equipments that tickets name.',
  Files: 'Files by their signed links.',
  'Invoice connections': 'Connections to the accounts-payable providers that invoices come from.',
  Deadlines: 'By when a client expects what of its tickets, and when its places are open.',
  Imports: 'Places, equipment and values of custom fields from a file.',
  Invoices: 'Invoices of suppliers, and their tickets.',
  Jobs: 'Kinds of work that tickets name.',
  Locations: 'Places that tickets name.',
  Moves: 'What moves a ticket from one status to another.',
  Notes: 'Notes of a ticket: public, internal or for its managers.',
  'Platform administration': 'Companies and their users.',
  Purchases: 'Purchase requests, orders and goods receipts of a ticket.',
  Quotes: 'Quotes of contractors, and what the client decides.',
  Reports: 'Intervention reports of a ticket.',
  Notifications: 'What you are told of, and how: a list, what is unread as it comes, and settings.',
  'Saved filters': 'Filters of lists under a name, of a user or shared in the company.',
  Exports: 'Files of lists that are too long for a download.',
  Session: 'Logging in and out, sessions and the password of a user.',
  'Single sign-on': 'Signing in at the OpenID Connect provider of a company, and its settings.',
  Statistics: 'Figures of tickets and invoices, kept as they change.',
  Tickets: 'Creating, finding and reading tickets.',
  Users: 'The users of the own company.',
  Webhooks: 'Endpoints that get the events of tickets, and what was delivered to them.',
};

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description });

const cookie = (name: string, description: string) => ({ type: 'apiKey', in: 'cookie', name, description });

const schemesOf: Record<HostName, Json> = {
  ticket: { accessToken: bearer('An API token, or the `token` of a session') },
  ts: {
    // Over https there are both; either will do.
    session: cookie(
      'session',
      'The cookie that `POST /auth/login` sets over plain http; over https programs may send it, browsers not',
    ),
    hostSession: cookie('__Host-session', 'The cookie that it sets over https'),
    sessionToken: bearer('The `token` that `POST /auth/login` answers'),
    platformAdmin: bearer("The platform administrator's token"),
  },
  download: {},
};
