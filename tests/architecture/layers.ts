import { type Edge, type Graph, isTest, workspaceOf } from './graph.ts';
import { packageOf } from './modules.ts';

/** The libraries that each library may import. */
const libraryImports: Record<string, readonly string[]> = {
  kernel: [],
  contracts: ['kernel'],
  einvoice: ['kernel', 'contracts'],
  matching: ['kernel', 'contracts'],
  runtime: ['kernel'],
  'work-queue': ['kernel', 'runtime'],
  http: ['kernel', 'contracts', 'runtime'],
  messaging: ['kernel', 'contracts', 'runtime', 'work-queue'],
  storage: ['kernel', 'runtime', 'work-queue'],
  service: ['kernel', 'contracts', 'http', 'messaging', 'runtime', 'work-queue'],
  providers: ['kernel', 'contracts', 'einvoice', 'runtime', 'work-queue'],
  'api-client': [],
};

/** The only packages that these libraries may import: they are rules, and everything else may rest on them. */
const closedLibraries: Record<string, readonly string[]> = {
  kernel: ['node:crypto'],
  contracts: ['joi'],
  matching: ['node:crypto'],
};

/** Where each technology may be named; a package that is not listed may be used anywhere outside closed libraries. */
const homes: Record<string, RegExp> = {
  express: /^libs\/http\//,
  mongoose:
    /^libs\/(runtime|messaging|storage|work-queue|service)\/|^services\/.*-(store|loader|collections?)\.ts$|^services\/[^/]+\/migrations\//,
  mongodb: /^libs\/(storage\/|runtime\/mongo\/driver-patch)/,
  amqplib: /^libs\/messaging\//,
  axios: /^libs\/providers\/http\/http-client\.ts$|^services\/.*-client\.ts$/,
  winston: /^libs\/runtime\//,
  multer: /^libs\/storage\//,
  '@opentelemetry/api': /^libs\/runtime\/tracing\//,
  '@opentelemetry/sdk-trace': /^libs\/runtime\/tracing\//,
};

/** Where the types of a technology may be named besides: they are gone once the program runs. */
const typeHomes: Record<string, RegExp> = {
  express: /^libs\/storage\/|^services\/.*-routes?\.ts$|^services\/[^/]+\/http\//,
  mongoose: /^services\/[^/]+\/app\.ts$/,
};

/** What one file imports although its layer does not allow it (docs/architecture.md), as sentences. */
export function layerBreaches(graph: Graph, file: string): string[] {
  if (isTest(file)) return [];
  return graph.module(file).imports.flatMap((imported) => {
    const breach = breachOf(file, imported);
    return breach === null ? [] : [`imports ${imported.target}: ${breach}`];
  });
}

function breachOf(file: string, imported: Edge): string | null {
  const { target } = imported;
  if (inBrowser.test(file)) return breachInBrowser(imported);
  if (inBrowser.test(target)) return 'it runs in browsers';
  const [area, name] = file.split('/') as [string, string];
  if (/^(libs|sdk|services|tools|tests)\//.test(target)) return breachOfPath(file, target);
  if (target.startsWith('@app/')) return breachOfOwn(file, packageOf(target).slice('@app/'.length));
  if (area === 'tools') return null;
  const closed = area === 'libs' ? closedLibraries[name] : undefined;
  if (closed) return closed.includes(target) ? null : `${name} needs nothing but ${closed}`;
  const home = homes[packageOf(target)];
  return !home || home.test(file) || isTypeAtHome(file, imported) ? null : `${target} is not at home here`;
}

/** Files that are bundled for browsers. */
const inBrowser = /^services\/console\/src\//;

/** What pages take of our packages: the client of the APIs, files for spreadsheets, and the words of codes, which those have too. */
const forPages = ['@app/api-client', '@app/http/sheet-file', '@app/kernel/words'];

/** Pages use only the public APIs of the platform. */
function breachInBrowser({ target, typeOnly }: Edge): string | null {
  if (target.startsWith('node:')) return 'a browser has no Node';
  if (/^(libs|sdk|services|tools|tests)\//.test(target))
    return inBrowser.test(target) ? null : 'pages import pages alone';
  const isForNode = target.startsWith('@app/') && !forPages.includes(target);
  return isForNode && !typeOnly ? `of our packages pages take types alone, and ${forPages.join(', ')}` : null;
}

/** A path of this repository. */
function breachOfPath(file: string, target: string): string | null {
  const isMigration = (path: string) => /^services\/[^/]+\/migrations\//.test(path);
  if (isMigration(target) && !isMigration(file) && !file.endsWith('/main.ts')) return 'only main.ts runs migrations';
  if (workspaceOf(target) === workspaceOf(file)) return null;
  if (/^tools\/(generate|ops)$/.test(workspaceOf(file) ?? '') && target.startsWith('services/')) return null;
  return 'another workspace is reached by its package, a service not at all';
}

/** A package of this repository. */
function breachOfOwn(file: string, name: string): string | null {
  const [area, own] = file.split('/') as [string, string];
  if (name === 'testing') return 'only tests import testing';
  if (area === 'tools') return null;
  if (area === 'libs') return libraryImports[own]?.includes(name) ? null : `${own} stands below ${name}, or beside it`;
  return name in libraryImports ? null : 'a service imports libraries alone';
}

function isTypeAtHome(file: string, { target, typeOnly }: Edge): boolean {
  return typeOnly && (typeHomes[packageOf(target)]?.test(file) ?? false);
}
