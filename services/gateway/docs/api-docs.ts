import type { HostName } from '../routing/routes.ts';

type Json = Record<string, unknown>;
/** A service's own `/openapi.json`; each operation names its host in `x-host`. */
export type ServiceDocs = {
  paths?: Record<string, Json>;
  /** What the service sends, by name. */
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
    info: { ...about[host], version: '3.0' },
    servers: [{ url: url.replace(/(?<!\/)\/+$/, '') }],
    tags: tagsOf(paths),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(Object.keys(webhooks).length === 0 ? {} : { webhooks }),
    components: {
      ...components,
      securitySchemes: { ...schemesOf[host], ...components['securitySchemes'] },
      responses: { ...components['responses'], Error: errorResponse },
    },
  };
}

function addOperations(host: HostName, to: Record<string, Json>, items: Record<string, Json> = {}): void {
  for (const [name, operations] of Object.entries(items)) {
    const own = operationsOf(host, operations);
    if (own.length > 0) to[name] = { ...to[name], ...Object.fromEntries(own) };
  }
}

function operationsOf(host: HostName, operations: Json): [string, Json][] {
  return Object.entries(operations).flatMap(([method, operation]) => {
    const { 'x-host': on, ...shown } = operation as Json;
    return on === host ? [[method, shown] as [string, Json]] : [];
  });
}

function tagsOf(paths: Record<string, Json>): { name: string }[] {
  const operations = Object.values(paths).flatMap((path) => Object.values(path)) as { tags?: string[] }[];
  return [...new Set(operations.flatMap(({ tags = [] }) => tags))].sort().map((name) => ({ name }));
}

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description });

const schemesOf: Record<HostName, Json> = {
  ticket: { accessToken: bearer('An API token, or the `token` of a session') },
  ts: {
    session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'The cookie that `POST /auth/login` sets' },
    sessionToken: bearer('The `token` that `POST /auth/login` answers'),
    platformAdmin: bearer("The platform administrator's token"),
  },
  download: {},
};

/** The two forms of errors (docs/api.md). */
const errorResponse = {
  description: 'An error: what went wrong for people and, as `code`, for programs; or every fault of a body or query',
  headers: { 'X-Request-Id': { description: 'Name it when you ask us about it', schema: { type: 'string' } } },
  content: {
    'application/json': {
      schema: {
        oneOf: [
          {
            type: 'object',
            required: ['error', 'code'],
            properties: { error: { type: 'string' }, code: { type: 'string' } },
          },
          {
            type: 'object',
            required: ['message', 'errors'],
            properties: {
              message: { const: 'Validation error' },
              errors: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['path', 'message'],
                  properties: { path: { type: 'string' }, message: { type: 'string' } },
                },
              },
            },
          },
        ],
      },
    },
  },
};

/** Swagger UI for one host; everything it loads comes from that host. */
export function docsPage(host: HostName): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${about[host].title}</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
}

/** `validatorUrl: null`: the page would otherwise send the document to a third party. */
export const docsScript = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;
