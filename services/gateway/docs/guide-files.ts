import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

export type GuideFile = { type: string; body: Buffer; headers: string[] };

const text = (type: string) => `${type}; charset=utf-8`;
const types: Record<string, string> = {
  '.html': text('text/html'),
  '.css': text('text/css'),
  '.js': text('text/javascript'),
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

const yearS = 365 * 24 * 3600;

/**
 * The guide for integrators: a site that `npm run guide` builds into `folder`. Null for what is not there, the whole guide if it was
 * not built.
 * @param path without traversal, as `pathOf` gives it
 */
export async function guideFile(folder: string, path: string): Promise<GuideFile | null> {
  const inside = path.slice('/guide/'.length);
  // A page is a folder; it has no dot.
  const isPage = extname(inside) === '';
  const file = isPage ? join(inside, 'index.html') : inside;
  const body = await readFile(join(folder, file)).catch(nothingThere);
  if (!body) return null;
  const type = types[extname(file)] ?? 'application/octet-stream';
  const headers = ['Cache-Control', cacheControl(inside)];
  if (type === types['.html']) headers.push('Content-Security-Policy', policyOf(body.toString()));
  return { type, body, headers };
}

function cacheControl(path: string): string {
  // Their names change with their content.
  if (path.startsWith('_assets/')) return `public, max-age=${yearS}, immutable`;
  return 'public, max-age=300';
}

/** Scripts that stand in the page run if they are those that were built; `wasm-unsafe-eval` is for the search, styles for coloured code. */
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

function nothingThere(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return null;
  throw error;
}
