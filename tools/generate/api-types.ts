import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Place, parseOptions } from '@app/start/infra';
import type { OpenAPI3 } from 'openapi-typescript';

export const usage = `Usage: npm run docs -- types [--if-installed]

Writes the OpenAPI documents, for the console to serve, and the types of both APIs, for sdk/api-client. npm ci and npm run types do it too.

  --if-installed   write nothing where packages for development were left out, as for production`;

export async function run(args: string[], { root }: Place): Promise<void> {
  const { values } = parseOptions(args, { 'if-installed': { type: 'boolean' } });
  if (values['if-installed'] && !(await findCompiler())) return;
  await writeTypes(root);
}

export async function writeTypes(root: string): Promise<void> {
  // Loads all services: not where nothing is written.
  const { hostDocuments } = await import('./docs/api/host-documents.ts');
  for (const [host, document] of Object.entries(await hostDocuments(root))) {
    write(join(root, `services/console/reference/openapi/${host}.json`), JSON.stringify(document));
    if (host === 'download') continue;
    const path = `sdk/api-client/generated/${host}-api.d.ts`;
    write(join(root, path), await typesOf(document));
    console.log(`wrote ${path}`);
  }
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

async function typesOf(document: object): Promise<string> {
  const compiler = await findCompiler();
  if (!compiler) throw new Error('openapi-typescript is not installed: npm ci');
  const { ts, openapiTypes, astToString } = compiler;
  const file = ts.factory.createTypeReferenceNode('Blob');
  const nodes = await openapiTypes(withoutExamples(document) as OpenAPI3, {
    transform: ({ format }) => (format === 'binary' ? file : undefined),
  });
  return `/** Generated from the routes of the services: edit these, not this file. */\n\n${astToString(nodes)}`;
}

/** Null without the packages for development. */
async function findCompiler() {
  try {
    const { default: openapiTypes, astToString } = await import('openapi-typescript');
    // Version 5: openapi-typescript builds its output with the compiler's API, which later versions do not have.
    const { default: ts } = await import('typescript');
    return { openapiTypes, astToString, ts };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** The types need no examples, and editors would show every one of them. */
function withoutExamples(part: unknown, isFields = false): unknown {
  if (Array.isArray(part)) return part.map((one) => withoutExamples(one));
  if (typeof part !== 'object' || part === null) return part;
  // A field may be called `example`.
  const kept = Object.entries(part).filter(([key]) => isFields || key !== 'example');
  return Object.fromEntries(
    kept.map(([key, value]) => [key, withoutExamples(value, key === 'properties' && !isFields)]),
  );
}
