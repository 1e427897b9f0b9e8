import { existsSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { durationHistogram } from '@app/runtime';
import sirv from 'sirv';

export type Deps = {
  /** What `npm run build` wrote. */
  folder: string;
  /** Where documents come from. */
  downloadOrigin: string;
};

const durations = durationHistogram({
  name: 'page_request_duration_seconds',
  help: 'Time to answer a request, by kind of file and status',
  labelNames: ['method', 'route', 'status'],
});

const assets = '/console/assets/';

/**
 * Serves the built pages under `/console`: files as they are, and the page itself for every path that names no file, since the
 * application reads the address. @throws Error if nothing was built
 */
export function createApp({ folder, downloadOrigin }: Deps): RequestListener {
  if (!existsSync(join(folder, 'console/index.html')))
    throw new Error(`there is no build in ${folder}: run \`npm run build -w services/console\``);
  const policy = contentPolicy(downloadOrigin);
  const serve = sirv(folder, {
    ...{ etag: true, brotli: true, gzip: true, single: 'console/index.html' },
    onNoMatch: (_req, res) => sendError(res, { status: 404, code: 'not_found', error: 'there is no such file' }),
  });

  return (req, res) => {
    const path = req.url?.split('?')[0] ?? '/';
    observe(res, path.startsWith(assets) ? `${assets}*` : '/console');
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      sendError(res, { status: 405, code: 'method_not_allowed', error: 'pages can only be read; use GET' });
    } else if (path !== '/console' && !path.startsWith('/console/')) {
      sendError(res, { status: 404, code: 'not_found', error: 'the pages are under /console' });
    } else {
      res.setHeader('Content-Security-Policy', policy);
      res.setHeader('X-Content-Type-Options', 'nosniff');
      // The name of an asset says what is in it. Everything else is asked for again, and is 304 while it is the same: with these
      // headers too, since a browser takes those of a 304 for the ones that it has.
      res.setHeader('Cache-Control', path.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-cache');
      serve(req, res);
    }
  };
}

/**
 * Nothing inline, nothing from elsewhere but documents, and no text that becomes code: `pdf-worker` makes the worker that reads PDFs,
 * and is the only one that may name a script.
 */
export function contentPolicy(downloadOrigin: string): string {
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
  res.end(JSON.stringify({ error, code }));
}

function observe(res: ServerResponse, route: string): void {
  const started = performance.now();
  res.on('finish', () => {
    const seconds = (performance.now() - started) / 1000;
    durations.observe({ method: res.req.method ?? '', route, status: res.statusCode }, seconds);
  });
}
