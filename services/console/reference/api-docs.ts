/// <reference path="./swagger-ui-dist.d.ts" />
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import swaggerFolder from 'swagger-ui-dist/absolute-path.js';
import type { Serve } from './serve.ts';

/** The three hosts as users see them. */
export type PublicUrls = { ticket: string; ts: string; download: string };
type File = { type: string; body: string | Buffer; caching: string };
type Document = { info: { title: string } };

const script = 'text/javascript; charset=utf-8';

/**
 * Serves each host its own `/openapi.json` and `/docs`: the gateway says which one was called.
 * @param folder has the documents, as `npm run types` writes them @throws Error if they are missing
 */
export function serveApiDocs(folder: string, publicUrls: PublicUrls): Serve {
  if (!existsSync(folder)) throw new Error(`there are no documents in ${folder}: run \`npm run types\``);
  const apis = (['ticket', 'ts', 'download'] as const).map((name) => {
    const document = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Document;
    return { url: publicUrls[name].replace(/(?<!\/)\/+$/, ''), document };
  });
  const links = apis
    .slice(0, 2)
    .map(({ url, document }) => `<a href="${new URL('/docs', url)}">${document.info.title}</a>`);
  const hosts = new Map(
    apis.map(({ url, document }) => {
      const page = {
        type: 'text/html; charset=utf-8',
        body: docsPage(document.info.title, links),
        caching: 'no-cache',
      };
      const body = JSON.stringify({ ...document, servers: [{ url }] });
      const files = new Map<string, File>([
        ...swaggerFiles,
        ['/openapi.json', { type: 'application/json; charset=utf-8', body, caching: 'no-cache' }],
        ['/docs', page],
        ['/docs/', page],
      ]);
      return [new URL(url).host, { files, policy: pagePolicy(new URL(url).origin) }];
    }),
  );
  return (req, res, { path, notFound }) => {
    const host = hosts.get(String(req.headers['x-forwarded-host']));
    const file = host?.files.get(path);
    if (!host || !file) return notFound();
    const { type, body, caching } = file;
    const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body), 'Cache-Control': caching };
    res.writeHead(200, { ...headers, 'Content-Security-Policy': host.policy }).end(body);
  };
}

/** Swagger UI. `validatorUrl: null`: the page would otherwise send the document to a third party. */
const swaggerFiles: [string, File][] = [
  ...Object.entries({
    'swagger-ui.css': 'text/css; charset=utf-8',
    'swagger-ui-bundle.js': script,
    'favicon-32x32.png': 'image/png',
  }).map(([name, type]): [string, File] => {
    return [
      `/docs/${name}`,
      { type, body: readFileSync(join(swaggerFolder(), name)), caching: 'public, max-age=3600' },
    ];
  }),
  [
    '/docs/start.js',
    {
      type: script,
      body: `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  validatorUrl: null,
});
`,
      caching: 'no-cache',
    },
  ],
];

/** Everything it loads comes from its own host. It links to the pages of both APIs, and to the guide. */
function docsPage(title: string, links: string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<nav class="swagger-ui"><div class="wrapper">${links.join(' · ')} · <a href="/guide/">Guide</a></div></nav>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
}

/** Nothing is inline; "Try it out" calls the API's public address. */
function pagePolicy(origin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
