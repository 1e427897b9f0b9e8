import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { base } from './pages.ts';

/** Dead links and missing files of the built site, as `page: link`. */
export function deadLinks(folder: string): string[] {
  const pages = (readdirSync(folder, { recursive: true }) as string[]).filter((path) => path.endsWith('.html'));
  const html = new Map(pages.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  return [...html].flatMap(([page, content]) =>
    linksOf(content)
      .filter((link) => !leadsSomewhere(link, page))
      .map((link) => `${page}: ${link}`),
  );

  function leadsSomewhere(link: string, page: string): boolean {
    const { pathname, hash, origin } = new URL(link, `http://site${base}/${page.replace(/index\.html$/, '')}`);
    if (origin !== 'http://site') return true;
    if (!`${pathname}/`.startsWith(`${base}/`)) return false;
    const file = fileOf(pathname.slice(base.length + 1));
    if (!html.has(file)) return existsSync(join(folder, file));
    const anchor = decodeURIComponent(hash.slice(1));
    return anchor === '' || (html.get(file) ?? '').includes(` id="${anchor}"`);
  }

  function fileOf(path: string): string {
    return path === '' || path.endsWith('/') ? `${path}index.html` : path;
  }
}

function linksOf(html: string): string[] {
  return [...html.matchAll(/<(?:a|link|script|img)\b[^>]*? (?:href|src)="([^"]*)"/g)]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .filter((link) => !/^(?:data|mailto):/.test(link));
}
