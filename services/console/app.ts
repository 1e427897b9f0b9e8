import { existsSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { docUrlFor } from '@app/http';
import { durationHistogram } from '@app/runtime';
import sirv from 'sirv';
import { type PublicUrls, serveApiDocs } from './reference/api-docs.ts';
import { serveGuide } from './reference/guide.ts';
import type { Serve } from './reference/serve.ts';

export type Deps = {
  /**
   * The folder of what was built: `dist` (`npm run console`), `reference/openapi` (`npm run types`) and, once there is one,
   * `reference/guide` (`npm run docs -- guide`).
   */
  folder: string;
  publicUrls: PublicUrls;
};

const durations = durationHistogram({
  name: 'page_request_duration_seconds',
  help: 'Time to answer a request, by kind of file and status',
  labelNames: ['method', 'route', 'status'],
});

const assets = '/console/assets/';

/**
 * Serves the built application under `/console` and, on every host, what integrators read. @throws Error if the
 * application or the documents were not built
 */
export function createApp({ folder, publicUrls }: Deps): RequestListener {
  const apiDocs = serveApiDocs(join(folder, 'reference/openapi'), publicUrls);
  const areas = new Map<string, Serve>([
    ['console', servePages(join(folder, 'dist'), new URL(publicUrls.download).origin)],
    ['docs', apiDocs],
    ['openapi.json', apiDocs],
    ['guide', serveGuide(join(folder, 'reference'))],
  ]);
  return (req, res) => {
    const path = req.url?.split('?')[0] ?? '/';
    const [, area = ''] = path.split('/');
    const serve = areas.get(area);
    observe(res, path.startsWith(assets) ? `${assets}*` : serve ? `/${area}` : 'none');
    const notFound = () => sendError(res, { status: 404, code: 'not_found', error: 'there is no such file' });
    if (!serve) {
      notFound();
    } else if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      sendError(res, { status: 405, code: 'method_not_allowed', error: 'pages can only be read; use GET' });
    } else {
      res.setHeader('X-Content-Type-Options', 'nosniff');
      serve(req, res, { path, notFound });
    }
  };
}

/** The files of the application, and its one page for every path that names no file, since it reads the address itself. */
function servePages(folder: string, downloadOrigin: string): Serve {
  if (!existsSync(join(folder, 'console/index.html')))
    throw new Error(`there is no build in ${folder}: run \`npm run console\``);
  const policy = contentPolicy(downloadOrigin);
  const serve = sirv(folder, { etag: true, brotli: true, gzip: true, single: 'console/index.html' });
  return (req, res, { path, notFound }) => {
    res.setHeader('Content-Security-Policy', policy);
    res.setHeader('Cache-Control', cachingOf(path));
    serve(req, res, notFound);
  };
}

/**
 * An asset has the hash of its content in its name. A page is not kept, so that Back does not show one after a
 * sign-out. Other files have an extension; browsers ask for them again.
 */
function cachingOf(path: string): string {
  if (path.startsWith(assets)) return 'public, max-age=31536000, immutable';
  return /\.\w+$/.test(path) ? 'no-cache' : 'no-store';
}

/**
 * The Content-Security-Policy: nothing inline, nothing from other origins but documents, and no
 * text that becomes code. Only the Trusted Types policy `pdf-worker`, for the worker that reads
 * PDFs, may create a script address.
 */
function contentPolicy(downloadOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    `connect-src 'self' ${downloadOrigin}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types pdf-worker',
  ].join('; ');
}

type Failure = { status: number; code: string; error: string };

function sendError(res: ServerResponse, { status, code, error }: Failure): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  res.end(JSON.stringify({ error, code, ...docUrlFor(res.req.headers, code) }));
}

function observe(res: ServerResponse, route: string): void {
  const started = performance.now();
  res.on('finish', () => {
    const seconds = (performance.now() - started) / 1000;
    durations.observe({ method: res.req.method ?? '', route, status: res.statusCode }, seconds);
  });
}
