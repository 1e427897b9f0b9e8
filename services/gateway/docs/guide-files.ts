import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

type GuideFile = { type: string; body: Buffer; headers: string[] };

const inUtf8 = (type: string) => `${type}; charset=utf-8`;
const types: Record<string, string> = {
  '.html': inUtf8('text/html'),
  '.css': inUtf8('text/css'),
  '.js': inUtf8('text/javascript'),
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.yaml': 'application/yaml',
};

const yearS = 365 * 24 * 3600;

/**
 * A file of the guide for integrators, a site that `npm run docs -- guide` builds into `folder`. Null if there is no such
 * file, or if the guide was not built. @param path without traversal, as `pathOf` gives it
 */
export async function guideFile(folder: string, path: string): Promise<GuideFile | null> {
  const inside = path.slice('/guide/'.length);
  // Pages are folders, whose names have no dot.
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

function nothingThere(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return null;
  throw error;
}
