import { posix } from 'node:path';

/** One import: `names` are those it takes by name, empty where it takes the whole module. */
export type Import = { target: string; typeOnly: boolean; names: string[] };

const statement = /^(?:import|export)\s+(type\s+)?([\w$*{},\s]*?)\s*from\s+['"]([^'"]+)['"]/gm;
const sideEffect = /^import\s+['"]([^'"]+)['"]/gm;
const call = /\b(?:import|require)\(\s*['"]([^'"]+)['"]/g;

/** What a file imports; a relative target is resolved to its path from the root of the repository. */
export function importsOf(file: string, source: string): Import[] {
  const found = [
    ...[...source.matchAll(statement)].map(([, type, clause = '', target = '']) => ({
      target,
      typeOnly: type !== undefined,
      names: namesIn(clause),
    })),
    ...[...source.matchAll(sideEffect), ...source.matchAll(call)].map(([, target = '']) => ({
      target,
      typeOnly: false,
      names: [],
    })),
  ];
  return found.map(({ target, ...rest }) => ({
    ...rest,
    target: target.startsWith('.') ? posix.join(posix.dirname(file), target) : target,
  }));
}

/** Values alone: `type X` is gone once the program runs. */
function namesIn(clause: string): string[] {
  const inner = /\{([^}]*)\}/.exec(clause)?.[1] ?? '';
  return inner
    .split(',')
    .map((name) => name.trim().split(/\s+as\s+/)[0] as string)
    .filter((name) => name !== '' && !name.startsWith('type '));
}

/** The package of a bare target: `@app/infra/reaper.ts` is of `@app/infra`. */
export function packageOf(target: string): string {
  const [first, second] = target.split('/');
  return target.startsWith('@') ? `${first}/${second}` : (first as string);
}
