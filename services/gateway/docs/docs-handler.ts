import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { docUrl } from '@app/http';
import type { Logger } from '@app/runtime';
import swaggerFolder from 'swagger-ui-dist/absolute-path.js';
import type { PublicUrls } from '../routing/hosts.ts';
import type { HostName, Route, ServiceName } from '../routing/routes.ts';
import { docsPage, docsScript, mergeDocs, type ServiceDocs } from './api-docs.ts';
import { guideFile } from './guide-files.ts';

type DocsAnswer = { status: number; headers: string[]; body: string | Buffer };

/** Answers `/openapi.json`, `/docs` and `/guide`, and the files that these pages load; null for any other path. */
export type DocsHandler = (request: { host: HostName; path: string; method: string }) => Promise<DocsAnswer | null>;

type Deps = {
  routes: Route[];
  services: ReadonlyMap<ServiceName, string>;
  publicUrls: PublicUrls;
  logger: Logger;
  now: () => number;
  /** The folder of the built guide; by default the one in this service. */
  guideFolder?: string | undefined;
};

const freshMs = 30_000;
/** A service that did not answer is probably starting. */
const retryMs = 2000;
const timeoutMs = 3000;

const script = 'text/javascript; charset=utf-8';
const files: Record<string, string> = {
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
  '/docs/swagger-ui-bundle.js': script,
  '/docs/favicon-32x32.png': 'image/png',
};

const builtGuide = join(import.meta.dirname, '../guide');

export function createDocsHandler({
  routes,
  services,
  publicUrls,
  logger,
  now,
  guideFolder = builtGuide,
}: Deps): DocsHandler {
  const documentOf = serviceDocuments({ services, logger, now });

  async function openApi(host: HostName): Promise<string> {
    const shown = routes.filter((route) => route.host === host && !route.mirror && !route.pages);
    const behind = [...new Set(shown.map(({ service }) => service))];
    const documents = await Promise.all(behind.map(documentOf));
    return JSON.stringify(mergeDocs(host, publicUrls[host], documents));
  }

  async function content(host: HostName, path: string): Promise<Content | null> {
    const page = await pageAt(host, path);
    const policy = ['Content-Security-Policy', pagePolicy(publicUrls[host])];
    const cached = ['Cache-Control', path in files ? 'public, max-age=3600' : 'no-cache'];
    return page && { ...page, headers: [...policy, ...cached] };
  }

  async function pageAt(host: HostName, path: string): Promise<Omit<Content, 'headers'> | null> {
    switch (path) {
      case '/openapi.json':
        return { type: 'application/json; charset=utf-8', body: await openApi(host) };
      case '/docs':
      case '/docs/':
        return { type: 'text/html; charset=utf-8', body: docsPage(host, publicUrls) };
      case '/docs/start.js':
        return { type: script, body: docsScript };
    }
    const type = files[path];
    return type ? { type, body: await readFile(join(swaggerFolder(), path.slice('/docs/'.length))) } : null;
  }

  return async ({ host, path, method }) => {
    const shown = /^\/guide(?:\/|$)/.test(path) ? await guideFile(guideFolder, path) : await content(host, path);
    if (!shown) return null;
    if (method !== 'GET' && method !== 'HEAD') return wrongMethod(method, new URL(publicUrls[host]).origin);
    const headers = ['Content-Type', shown.type, 'Content-Length', String(Buffer.byteLength(shown.body))];
    headers.push('X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer', ...shown.headers);
    return { status: 200, headers, body: shown.body };
  };
}

type Content = { type: string; body: string | Buffer; headers: string[] };

function wrongMethod(method: string, origin: string): DocsAnswer {
  const code = 'method_not_allowed';
  const error = `${method} is not possible here; use GET`;
  const body = JSON.stringify({ error, code, doc_url: docUrl(origin, code) });
  return { status: 405, headers: ['Content-Type', 'application/json; charset=utf-8', 'Allow', 'GET, HEAD'], body };
}

/** Everything is loaded from this host, nothing is inline; "Try it out" calls the API's public address. */
function pagePolicy(publicUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

type Cached = { until: number; document: Promise<ServiceDocs> };

/** Each service's OpenAPI document, fetched at most every 30 s; the last good one while the service is down. */
function serviceDocuments({ services, logger, now }: Pick<Deps, 'services' | 'logger' | 'now'>) {
  const cache = new Map<ServiceName, Cached>();

  return (service: ServiceName): Promise<ServiceDocs> => {
    const before = cache.get(service);
    if (before && before.until > now()) return before.document;
    const next: Cached = { until: now() + freshMs, document: Promise.resolve({}) };
    next.document = fetched(services.get(service)).catch((error: unknown) => {
      logger.warn('OpenAPI document of a service could not be read', { target: service, reason: reasonOf(error) });
      next.until = now() + retryMs;
      return before?.document ?? {};
    });
    cache.set(service, next);
    return next.document;
  };
}

async function fetched(url: string | undefined): Promise<ServiceDocs> {
  if (!url) return {};
  const response = await fetch(new URL('/openapi.json', url), { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  return (await response.json()) as ServiceDocs;
}

/** `fetch` only says that it failed; the reason is in `cause`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
