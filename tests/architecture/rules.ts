import { basename } from 'node:path';
import { type Graph, isOwn, isTest, reach, workspaceOf } from './graph.ts';
import { doesIo, makesCalls, touchesDatabase } from './io.ts';
import { layerBreaches } from './layers.ts';
import { packageOf } from './modules.ts';

/** Subject (a file or a folder) → what is wrong with it, as sentences. Subjects without a fault may be left out. */
type Breaches = Map<string, string[]>;
type Repository = { graph: Graph; read: (path: string) => string };
export type Rule = (repository: Repository) => Breaches;

const longestFunction = 80;
const longestFile = 400;

/** Files that run in browsers, and those that bundle them. */
const isBundled = /^services\/console\/(src\/|build\.ts$|vite-config\.ts$)/;

/** Files of rules besides those that stores or unit tests import. */
const moreRuleFiles = /^services\/.*-(rules|view)\.ts$|^services\/ticket\/creation\/create-ticket\.ts$/;
const pureLibraries = /^libs\/(kernel|contracts|einvoice|matching)\//;

/** What the tree keeps to. Each rule names the subjects that breach it. */
export const rules: Record<string, Rule> = {
  'a file imports only what its layer may': ({ graph }) => perFile(graph, (file) => layerBreaches(graph, file)),
  'a file imports only packages that its workspace lists': undeclaredPackages,
  'a workspace lists only packages that it uses': unusedPackages,
  'rules do no I/O': ({ graph }) => {
    const found = ruleFiles(graph);
    return perFile(graph, (file) => (found.has(file) && doesIo(graph, file) ? ['reaches I/O by its imports'] : []));
  },
  'rules leave the parsing of input to routes': ({ graph }) => {
    const found = usedByStores(graph);
    const parses = (file: string) => graph.edges(file).some(({ target }) => target === 'joi');
    return perFile(graph, (file) => (found.has(file) && parses(file) ? ['imports joi'] : []));
  },
  'a suffix tells the truth': ({ graph }) => perFile(graph, (file) => suffixBreaches(graph, file)),
  'no import runs in a circle': circlesOfFiles,
  'no folder of a workspace imports another one back': circlesOfFolders,
  [`no function has more than ${longestFunction} lines`]: ({ graph }) =>
    perFile(graph, (file) =>
      graph
        .module(file)
        .functions.filter(({ lines }) => lines > longestFunction && !isTest(file))
        .map(({ name, lines }) => `${name} has ${lines} lines`),
    ),
  'a file is short': ({ graph, read }) =>
    perFile(graph, (file) => {
      const lines = read(file).split('\n').length - 1;
      return lines > longestFile && !isTest(file) ? [`has ${lines} lines`] : [];
    }),
  'a name says what the file is': ({ graph }) => perFile(graph, nameBreaches),
  'a store that takes the driver says why': ({ graph, read }) =>
    perFile(graph, (file) =>
      isStore(file) && /collectionOf\(|\.collection[<(]/.test(read(file)) && !read(file).includes('By the driver')
        ? ['takes the driver without a sentence "By the driver: …"']
        : [],
    ),
  'services read what a majority has': ({ graph, read }) => perFile(graph, (file) => concernBreaches(file, read(file))),
  'a service lists its migrations': ({ graph }) => perFile(graph, (file) => migrationBreaches(graph, file)),
};

/** The files of rules: libraries without I/O; what a store works with; what a unit test, which has no infrastructure, tests. */
function ruleFiles(graph: Graph): Set<string> {
  const unitTests = graph.files.filter((file) => /\.test\.ts$/.test(file) && !/\.(int|slow)\.test\.ts$/.test(file));
  const named = graph.files.filter((file) => !isTest(file) && (pureLibraries.test(file) || moreRuleFiles.test(file)));
  return new Set([...named, ...usedByStores(graph), ...usedBy(graph, unitTests)]);
}

function usedByStores(graph: Graph): Set<string> {
  return usedBy(graph, graph.files.filter(isStore));
}

/** What these files of services import from their own service, except stores and settings. */
function usedBy(graph: Graph, files: string[]): Set<string> {
  const ofServices = files.filter((file) => file.startsWith('services/'));
  const used = ofServices.flatMap((file) =>
    graph.edges(file).filter(({ target }) => workspaceOf(target) === workspaceOf(file)),
  );
  const isRule = (target: string) => !isStore(target) && !isTest(target) && !target.endsWith('/config.ts');
  return new Set(used.map(({ target }) => target).filter(isRule));
}

/** A loader is a store that batches its reads; a collection is what stores share: its documents, schema and indexes. */
function isStore(file: string): boolean {
  return /-(store|loader)\.ts$|^services\/.*-collections?\.ts$/.test(file);
}

function suffixBreaches(graph: Graph, file: string): string[] {
  if (isTest(file)) return [];
  const { calls } = graph.module(file);
  const declaresRoute = calls.has('route') || calls.has('figureRoute') || calls.has('listRoutes');
  if (/^services\/.*-routes?\.ts$/.test(file)) return declaresRoute ? [] : ['declares no route'];
  if (isStore(file)) return touchesDatabase(graph, file) ? [] : ['does not touch the database'];
  if (file.endsWith('-client.ts')) return makesCalls(graph, file) ? [] : ['calls nobody'];
  return declaresRoute && file.startsWith('services/') ? ['declares a route: call it -routes.ts'] : [];
}

function circlesOfFiles({ graph }: Repository): Breaches {
  return perFile(graph, (file) => {
    const reached = reach(graph, file, () => true);
    if (!reached.has(file)) return [];
    return [`imports itself by way of ${[...reached].filter((one) => reach(graph, one, () => true).has(file))}`];
  });
}

/**
 * Sibling folders that import each other, at any depth of a workspace; a folder counts with all that it holds. Files that lie
 * beside the folders may import them and be imported by them.
 */
function circlesOfFolders({ graph }: Repository): Breaches {
  const imports = new Map<string, Set<string>>();
  for (const file of graph.files.filter((one) => !isTest(one)))
    for (const { target } of graph.edges(file)) {
      const [from, to] = foldersApart(file, target);
      if (from !== undefined && to !== undefined) imports.set(from, (imports.get(from) ?? new Set()).add(to));
    }
  const reachable = (from: string, found = new Set<string>()): Set<string> => {
    for (const to of imports.get(from) ?? []) if (!found.has(to)) reachable(to, found.add(to));
    return found;
  };
  const folders = [...imports.keys()];
  const back = (folder: string) => [...(imports.get(folder) ?? [])].filter((to) => reachable(to).has(folder));
  return new Map(folders.map((folder) => [folder, back(folder).map((to) => `imports ${to}, which leads back`)]));
}

/** The sibling folders that hold the two files; none if they are of two workspaces, or if one lies beside such folders. */
function foldersApart(file: string, target: string): [string, string] | [] {
  const [parts, others] = [file.split('/'), target.split('/')];
  const apart = parts.findIndex((part, index) => part !== others[index]);
  const isFolder = apart >= 2 && apart < Math.min(parts.length, others.length) - 1;
  return isFolder ? [parts.slice(0, apart + 1).join('/'), others.slice(0, apart + 1).join('/')] : [];
}

type Manifest = {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};

function undeclaredPackages({ graph, read }: Repository): Breaches {
  return perFile(graph, (file) => {
    if (isTest(file)) return [];
    const manifest = JSON.parse(read(`${workspaceOf(file)}/package.json`)) as Manifest;
    const { name, dependencies = {}, devDependencies = {} } = manifest;
    // Tools may use development dependencies, and so may bundled files: their packages are only needed at build time.
    const listed =
      file.startsWith('tools/') || isBundled.test(file) ? { ...devDependencies, ...dependencies } : dependencies;
    const values = graph.module(file).imports.filter(({ typeOnly }) => !typeOnly);
    const packages = values.filter(({ target }) => !isPathOrBuiltin(target)).map(({ target }) => packageOf(target));
    return packages.filter((one) => one !== name && !(one in listed)).map((one) => `${one} is not listed`);
  });
}

function unusedPackages({ graph, read }: Repository): Breaches {
  const workspaces = [...new Set(graph.files.map(workspaceOf))].filter((path) => !path.startsWith('tests'));
  const unused = (workspace: string) => {
    const { dependencies = {} } = JSON.parse(read(`${workspace}/package.json`)) as { dependencies?: object };
    const files = graph.files.filter((file) => workspaceOf(file) === workspace);
    const used = new Set(files.flatMap((file) => graph.module(file).imports.map(({ target }) => packageOf(target))));
    return Object.keys(dependencies).filter((name) => !used.has(name));
  };
  return new Map(workspaces.map((path) => [path, unused(path).map((name) => `lists ${name} and does not use it`)]));
}

function isPathOrBuiltin(target: string): boolean {
  return isOwn(target) || target.startsWith('node:');
}

function nameBreaches(file: string): string[] {
  const isKebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.(en|fr))?(\.(int|slow))?(\.test)?(\.d)?\.tsx?$/.test(basename(file));
  const isVague = /\/(common|shared|utils?|helpers?|types|constants)(\/|\.ts$)/.test(file);
  return [...(isKebab ? [] : ['is not in kebab-case']), ...(isVague ? ['does not say what it holds'] : [])];
}

/**
 * Where what may be rolled back is read: of work that a later write, or for the outbox a later read, decides; and failed logins, which can
 * only refuse more.
 */
const localReaders = [
  /^libs\/(runtime|work-queue|messaging\/outbox|service\/migrations)\//,
  /^services\/invoice-reconciliation\/projections\/ticket-projection-store\.ts$/,
  /^services\/identity\/sessions\/login-throttle-store\.ts$/,
];

/** `lasting` of `libs/runtime/mongo/mongo.ts` has both concerns; who connects without it, or reads by another one, is named here. */
function concernBreaches(file: string, source: string): string[] {
  if (isTest(file) || !/^(libs|services)\//.test(file)) return [];
  const connects = /\bnew MongoClient\(|\bMongoClient\.connect\(|\bcreateConnection\(/.test(source);
  const reads = /\breadConcern\b|\bReadConcern\b|\breadPreference\b|\blocalRead\b/.test(source);
  return [
    ...(connects && !/\.\.\.lasting\b/.test(source) ? ['connects to MongoDB without `lasting`'] : []),
    ...(reads && !localReaders.some((one) => one.test(file)) ? ['reads by a concern of its own'] : []),
  ];
}

/** What is not listed never runs; `runService` takes the list, so every service has one. */
function migrationBreaches(graph: Graph, file: string): string[] {
  const [, folder] = /^(services\/[^/]+\/migrations)\/[^/]+\.ts$/.exec(file) ?? [];
  const list = `${folder}/index.ts`;
  if (folder === undefined || file === list) return [];
  const isNumbered = /^\d{4}-/.test(basename(file));
  const isListed = graph.files.includes(list) && graph.edges(list).some(({ target }) => target === file);
  return [...(isNumbered ? [] : ['has no number']), ...(isListed ? [] : [`is not in ${list}`])];
}

function perFile(graph: Graph, check: (file: string) => string[]): Breaches {
  return new Map(graph.files.map((file) => [file, check(file)]));
}
