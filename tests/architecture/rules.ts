import { type Import, importsOf, packageOf } from './imports.ts';

/**
 * Files of a service that may do I/O, by name; every other file is rules. Besides the process, its wiring and its doors,
 * these are use cases, each named by its verb: a new one is added here, on purpose.
 */
const process = ['main', 'app', 'config', 'subscriptions'];
const useCases = [
  'claim',
  'deliver',
  'dispatch',
  'login',
  'recognise',
  'proxy',
  'take-body',
  'limit-connections',
  'door',
  'refuse',
  'malformed',
  'keep-purchase',
  'keep-line',
  'address',
  'issue',
  'fetch',
  'tell',
  'perform',
  'work',
  'poll',
  're-encrypt',
  'ingest',
  'reconcile',
  'find-ticket',
  'operate',
  'sweep',
  'keep-copies',
  'rebuild',
  'request-facts',
];
const doesIo = new RegExp(
  `/(${[...process, ...useCases].join('|')})\\.ts$|-(store|routes|client)\\.ts$|/providers/[^/]+/`,
);

/** The libraries that each library may import. */
const libraryImports: Record<string, readonly string[]> = {
  kernel: [],
  contracts: ['kernel'],
  einvoice: ['kernel', 'contracts'],
  matching: ['kernel', 'contracts'],
  runtime: ['kernel'],
  'ssrf-guard': [],
  'work-queue': ['kernel', 'runtime'],
  http: ['kernel', 'contracts', 'runtime'],
  messaging: ['kernel', 'contracts', 'runtime', 'work-queue'],
  storage: ['kernel', 'runtime', 'work-queue'],
  service: ['contracts', 'http', 'messaging', 'runtime'],
  providers: ['kernel', 'contracts', 'einvoice', 'runtime', 'ssrf-guard'],
  testing: ['kernel', 'contracts', 'runtime', 'http', 'messaging', 'storage', 'infra'],
  infra: [],
};

/** Libraries of rules: what rules may import. */
const pureLibraries = ['kernel', 'contracts', 'matching'];

/** Where each technology may be named; a package that is not listed is free outside rules, kernel and contracts. */
const homes: Record<string, RegExp> = {
  express: /^libs\/http\//,
  mongoose: /^libs\/(runtime|messaging|storage|service|testing)\/|^services\/.*-store\.ts$/,
  mongodb: /^libs\/(storage|infra)\//,
  amqplib: /^libs\/(messaging|testing|infra)\//,
  axios: /^libs\/providers\/http-client\.ts$|^services\/.*-client\.ts$/,
  winston: /^libs\/runtime\//,
  multer: /^libs\/storage\//,
};

/** Where the types of a technology may be named besides: they are gone once the program runs. */
const typeHomes: Record<string, RegExp> = {
  express: /^libs\/storage\/|^services\/.*-routes\.ts$/,
  mongoose: /^services\/[^/]+\/app\.ts$/,
};

/** Node's own modules that rules may import, whole or by these names: they compute and touch nothing outside. */
const pureBuiltins: Record<string, readonly string[] | 'whole'> = {
  'node:crypto': 'whole',
  'node:net': ['BlockList', 'isIP', 'isIPv4', 'isIPv6'],
  'node:zlib': ['crc32'],
};

/** The breaches of the import rules (docs/architecture.md) in one file, as sentences; none: []. */
export function importBreaches(file: string, source: string): string[] {
  return importsOf(file, source).flatMap((imported) => {
    const breach = breachOf(file, imported);
    return breach === null ? [] : [`${file} imports ${imported.target}: ${breach}`];
  });
}

function breachOf(file: string, imported: Import): string | null {
  const { target } = imported;
  const [area, name] = file.split('/') as [string, string];
  if (/^(libs|services|tools|tests)\//.test(target)) return breachOfPath(file, target);
  if (target.startsWith('@app/')) return breachOfOwn(file, packageOf(target).slice('@app/'.length));
  if (area === 'tools' || area === 'tests') return null;
  if (area === 'libs' && name === 'kernel' && !isPure(imported)) return 'the kernel depends on nothing';
  if (area === 'libs' && name === 'contracts' && target !== 'joi') return 'contracts need the kernel and joi, no more';
  if (area === 'libs' && name === 'matching' && !isPure(imported)) return 'matching touches nothing';
  const home = homes[packageOf(target)];
  if (home) return home.test(file) || isTypeAtHome(file, imported) ? null : `${target} is not at home here`;
  if (area === 'libs' || doesIo.test(file) || isPure(imported)) return null;
  return 'rules import the kernel, contracts and pure parts of Node alone';
}

/** A path of this repository, from a file of it. */
function breachOfPath(file: string, target: string): string | null {
  const own = workspaceOf(file);
  if (workspaceOf(target) !== own) {
    if (file.startsWith('tests/')) return null;
    if (own === 'tools/generate-docs' && target.startsWith('services/')) return null;
    return 'another workspace is reached by its package, a service not at all';
  }
  const isRule = own.startsWith('services/') && !doesIo.test(file);
  return isRule && doesIo.test(target) ? 'rules do not reach for what does I/O' : null;
}

/** A package of this repository. */
function breachOfOwn(file: string, name: string): string | null {
  const [area, own] = file.split('/') as [string, string];
  if (area === 'tests') return null;
  const isLibrary = name in libraryImports;
  if (name === 'testing') return 'only tests import testing';
  if (area === 'tools') return null;
  if (name === 'infra' && own !== 'testing') return 'only tools and tests start infrastructure';
  if (area === 'libs') return libraryImports[own]?.includes(name) ? null : `${own} stands below ${name}, or beside it`;
  if (!isLibrary) return 'a service imports libraries alone';
  if (doesIo.test(file) || pureLibraries.includes(name)) return null;
  return 'rules import the libraries of rules alone';
}

function workspaceOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

function isTypeAtHome(file: string, { target, typeOnly }: Import): boolean {
  return typeOnly && (typeHomes[packageOf(target)]?.test(file) ?? false);
}

function isPure({ target, names }: Import): boolean {
  const allowed = pureBuiltins[target];
  if (allowed === undefined) return false;
  return allowed === 'whole' || (names.length > 0 && names.every((name) => allowed.includes(name)));
}
