import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

/** A regular expression of a source file. */
export type Pattern = { file: string; pattern: RegExp };

/** Settings come from the operator, who is trusted. */
const isOwn = (file: string) => file.endsWith('/config.ts');

/** Every distinct regular expression in these folders, and the files that build one at run time. */
export function patternsIn(root: string, areas: string[]): { patterns: Pattern[]; made: string[] } {
  const patterns = new Map<string, Pattern>();
  const made: string[] = [];
  for (const file of areas.flatMap((area) => codeIn(root, area))) {
    visit(parseSync(readFileSync(join(root, file), 'utf8'), { syntax: 'typescript', target: 'es2024' }), (node) => {
      if (node['type'] === 'NewExpression' && Reflect.get(node['callee'] as object, 'value') === 'RegExp')
        made.push(file);
      if (node['type'] !== 'RegExpLiteral') return;
      const pattern = new RegExp(String(node['pattern']), String(node['flags']));
      if (!patterns.has(String(pattern))) patterns.set(String(pattern), { file, pattern });
    });
  }
  return { patterns: [...patterns.values()], made };
}

/** Built files: pages for browsers, with the code of packages. */
const built = /(^|\/)(dist[^/]*|guide)\//;

function codeIn(root: string, area: string): string[] {
  return (readdirSync(join(root, area), { recursive: true }) as string[])
    .filter((path) => /\.(ts|js)$/.test(path) && !/\.d\.ts$|(^|\/)(node_modules|test)\//.test(path))
    .filter((path) => !built.test(path))
    .map((path) => `${area}/${path}`)
    .filter((file) => !isOwn(file));
}

function visit(value: unknown, see: (node: Record<string, unknown>) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) visit(item, see);
    return;
  }
  see(value as Record<string, unknown>);
  for (const part of Object.values(value)) visit(part, see);
}
