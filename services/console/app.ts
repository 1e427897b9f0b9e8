import { existsSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { durationHistogram } from '@app/runtime';
import sirv from 'sirv';

export type Deps = {
  /** The folder of the built pages (`npm run console`). */
  folder: string;
  /** The origin of links to documents. */
  downloadOrigin: string;
};

const durations = durationHistogram({
  name: 'page_request_duration_seconds',
  help: 'Time to answer a request, by kind of file and status',
  labelNames: ['method', 'route', 'status'],
});

const assets = '/console/assets/';

/**
 * Serves the built application under `/console`: its files, and its one page for every path that names no file, since
 * the application reads the address itself. @throws Error if nothing was built
 */
export function createApp({ folder, downloadOrigin }: Deps): RequestListener {
  if (!existsSync(join(folder, 'console/index.html')))
    throw new Error(`there is no build in ${folder}: run \`npm run console\``);
  const policy = contentPolicy(downloadOrigin);
  const serve = sirv(folder, {
    etag: true,
    brotli: true,
    gzip: true,
    single: 'console/index.html',
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
      res.setHeader('Cache-Control', cachingOf(path));
      serve(req, res);
    }
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
  res.end(JSON.stringify({ error, code }));
}

function observe(res: ServerResponse, route: string): void {
  const started = performance.now();
  res.on('finish', () => {
    const seconds = (performance.now() - started) / 1000;
    durations.observe({ method: res.req.method ?? '', route, status: res.statusCode }, seconds);
  });
}
