import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Module, packageOf, parseModule } from './modules.ts';

/** The text of every TypeScript file that people write, by its path from the root. */
export type Sources = ReadonlyMap<string, string>;

/** One edge of the import graph: `target` is a file of the repository, or a package or module of Node. */
export type Edge = { target: string; typeOnly: boolean; names: string[] };

export type Graph = { files: string[]; module(file: string): Module; edges(file: string): Edge[] };

const areas = ['libs', 'sdk', 'services', 'tools', 'tests'];

export function readSources(root: string): Sources {
  // Not those that git ignores: other tests make and remove such meanwhile.
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...areas];
  const files = execFileSync('git', listed, { cwd: root, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
    .split('\n')
    .filter((path) => /\.tsx?$/.test(path) && !/\/generated\//.test(path) && existsSync(join(root, path)));
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

export function isTest(file: string): boolean {
  return file.startsWith('tests/') || file.includes('/test/');
}

/** `services/ticket` of `services/ticket/notes/note.ts`. */
export function workspaceOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

/**
 * The import graph of the repository. What is imported by name from a package of ours leads to the file that defines it,
 * past the `index.ts`: one function of a library may be pure, another one not.
 */
export function createGraph(sources: Sources): Graph {
  const module = (file: string) => parseModule(file, sources.get(file) ?? '');
  const cache = new Map<string, Edge[]>();

  function definingFile(file: string, name: string): string {
    const { reexports, stars } = module(file);
    const origin = reexports.get(name);
    if (origin) return sources.has(origin.target) ? definingFile(origin.target, origin.name) : origin.target;
    return stars.find((star) => module(star).declared.has(name)) ?? file;
  }

  function findEdges(file: string): Edge[] {
    return module(file).imports.flatMap(({ target, typeOnly, names }) => {
      const entry = entryOf(target, sources);
      if (names.length === 0 || !sources.has(entry)) return [{ target: entry, typeOnly, names }];
      const byFile = Map.groupBy(names, (name) => definingFile(entry, name));
      return [...byFile].map(([defining, some]) => ({ target: defining, typeOnly, names: some }));
    });
  }

  return {
    files: [...sources.keys()],
    module,
    edges(file) {
      const edges = cache.get(file) ?? findEdges(file);
      cache.set(file, edges);
      return edges;
    },
  };
}

/** The file that a target names: `libs/http/index.ts` of `@app/http`, `libs/runtime/tracing/index.ts` of `@app/runtime/tracing`. Packages of others stay as they are. */
function entryOf(target: string, sources: Sources): string {
  if (!target.startsWith('@app/')) return target;
  const own = packageOf(target).slice('@app/'.length);
  const rest = target.slice(packageOf(target).length + 1) || 'index.ts';
  const candidates = areas.flatMap((area) => [`${area}/${own}/${rest}`, `${area}/${own}/${rest}/index.ts`]);
  return candidates.find((file) => sources.has(file)) ?? target;
}

/** Every file that `file` reaches over edges that `follow` takes, without itself unless it lies on a circle. */
export function reach(graph: Graph, file: string, follow: (edge: Edge) => boolean): Set<string> {
  const found = new Set<string>();
  const open = [file];
  for (let current = open.pop(); current !== undefined; current = open.pop())
    for (const edge of isOwn(current) ? graph.edges(current) : [])
      if (follow(edge) && !found.has(edge.target)) {
        found.add(edge.target);
        open.push(edge.target);
      }
  return found;
}

export function isOwn(target: string): boolean {
  return areas.some((area) => target.startsWith(`${area}/`));
}
