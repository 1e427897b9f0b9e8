import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import sirv from 'sirv';
import type { Serve } from './serve.ts';

/**
 * Serves `/guide`, a site that `npm run docs -- guide` builds into `<folder>/guide`, perhaps while this runs. Nothing else is
 * in the folder that not everybody may read.
 */
export function serveGuide(folder: string): Serve {
  // `dev`: it looks at each request which files there are.
  const serve = sirv(folder, { dev: true, etag: true });
  return (req, res, { path, notFound }) => {
    // The names of assets change with their content.
    const maxAge = path.startsWith('/guide/_assets/') ? '31536000, immutable' : '300';
    res.setHeader('Cache-Control', `public, max-age=${maxAge}`);
    if (path.endsWith('.yaml')) res.setHeader('Content-Type', 'application/yaml');
    // Pages are folders, whose names have no dot.
    const page = join(folder, path, 'index.html');
    if (extname(path) === '' && existsSync(page))
      res.setHeader('Content-Security-Policy', policyOf(readFileSync(page, 'utf8')));
    serve(req, res, notFound);
  };
}

/**
 * Inline scripts run only if they have the hash of a built one. `wasm-unsafe-eval` is for the search, inline styles
 * for highlighted code.
 */
function policyOf(html: string): string {
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => script,
  );
  const hashes = inline.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${[...new Set(hashes)].join(' ')}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
