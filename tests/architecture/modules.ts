import { posix } from 'node:path';
import { parseSync } from '@swc/core';

/** What a module takes from another one. `names` is empty if it takes the whole module. */
type Import = { target: string; typeOnly: boolean; names: string[] };

export type Module = {
  /** Imports and re-exports. A relative target is resolved to its path from the root of the repository. */
  imports: Import[];
  /** For each name that the module exports from another one: where it comes from and what it is called there. */
  reexports: Map<string, { target: string; name: string }>;
  /** The modules of which it exports everything. */
  stars: string[];
  /** What it declares itself and exports. */
  declared: Set<string>;
  functions: { name: string; lines: number }[];
  /** The plain identifiers that the module calls: `route` of `route<T>({ … })`. */
  calls: Set<string>;
};

type Node = { type?: string; [key: string]: unknown };
type Specifier = { type: string; isTypeOnly?: boolean; local?: Name; imported?: Name; orig?: Name; exported?: Name };
type Name = { value: string };

const parsed = new Map<string, { source: string; module: Module }>();

/** The imports, exports and functions of one TypeScript file, `file` being its path from the root. */
export function parseModule(file: string, source: string): Module {
  const known = parsed.get(file);
  if (known?.source === source) return known.module;
  const module: Module = {
    imports: [],
    reexports: new Map(),
    stars: [],
    declared: new Set(),
    functions: [],
    calls: new Set(),
  };
  const visitor = new Visitor(module, file, Buffer.from(source));
  visitor.visit(
    parseSync(source, { syntax: 'typescript', tsx: file.endsWith('.tsx'), target: 'es2024' }) as unknown as Node,
    '',
  );
  parsed.set(file, { source, module });
  return module;
}

class Visitor {
  readonly module: Module;
  readonly folder: string;
  readonly bytes: Buffer;

  constructor(module: Module, file: string, bytes: Buffer) {
    this.module = module;
    this.folder = posix.dirname(file);
    this.bytes = bytes;
  }

  /** `name` is what the surrounding declaration or property is called. */
  visit(node: Node, name: string): void {
    this.readImport(node);
    this.readDeclaration(node);
    this.readFunction(node, name);
    for (const child of Object.values(node)) {
      const children = Array.isArray(child) ? child : [child];
      for (const one of children) if (isNode(one)) this.visit(one, nameOf(node) ?? name);
    }
  }

  private readImport(node: Node): void {
    if (node.type === 'CallExpression') this.readCall(node);
    const target = (node['source'] as Name | undefined)?.value;
    if (target === undefined) return;
    const specifiers = (node['specifiers'] ?? []) as Specifier[];
    const values = specifiers.filter(({ isTypeOnly }) => !isTypeOnly);
    const allTypes = specifiers.length > 0 && values.length === 0;
    const typeOnly = node['typeOnly'] === true || allTypes;
    const named = typeOnly ? specifiers : values;
    const isWhole = named.some(({ type }) => type === 'ImportDefaultSpecifier' || type === 'ImportNamespaceSpecifier');
    this.add(target, typeOnly, isWhole ? [] : named.map(importedName));
    if (values.length < specifiers.length && !typeOnly)
      this.add(target, true, specifiers.filter(({ isTypeOnly }) => isTypeOnly).map(importedName));
    if (node.type === 'ExportAllDeclaration') this.module.stars.push(this.resolve(target));
    if (node.type !== 'ExportNamedDeclaration') return;
    for (const one of specifiers)
      this.module.reexports.set((one.exported ?? one.orig)?.value ?? '', {
        target: this.resolve(target),
        name: importedName(one),
      });
  }

  private readDeclaration(node: Node): void {
    if (node.type !== 'ExportDeclaration') return;
    const declaration = node['declaration'] as Node;
    for (const one of (declaration['declarations'] as Node[] | undefined) ?? [declaration])
      this.module.declared.add(nameOf(one) ?? '');
  }

  /** `import('…')`, `require('…')`, and the names of the functions that are called. */
  private readCall(node: Node): void {
    const callee = node['callee'] as Node;
    if (callee.type === 'Identifier') this.module.calls.add(callee['value'] as string);
    const isLoad = callee.type === 'Import' || callee['value'] === 'require';
    const [first] = node['arguments'] as { expression: Node }[];
    if (isLoad && first?.expression.type === 'StringLiteral') this.add(first.expression['value'] as string, false, []);
  }

  private readFunction(node: Node, name: string): void {
    const isMethod = node['function'] !== undefined;
    const body = (isMethod ? (node['function'] as Node)['body'] : node['body']) as Node | null | undefined;
    const takesParameters =
      isMethod || node['params'] !== undefined || /^(Getter|Setter)Property$/.test(node.type ?? '');
    if (!takesParameters || !body?.['span']) return;
    const { start, end } = body['span'] as { start: number; end: number };
    const text = this.bytes.subarray(start - 1, end - 1).toString();
    this.module.functions.push({ name: nameOf(node) ?? name, lines: text.split('\n').length });
  }

  private add(target: string, typeOnly: boolean, names: string[]): void {
    this.module.imports.push({ target: this.resolve(target), typeOnly, names });
  }

  private resolve(target: string): string {
    return target.startsWith('.') ? posix.join(this.folder, target) : target;
  }
}

/** What the other module calls it. */
function importedName({ imported, orig, local }: Specifier): string {
  return (imported ?? orig ?? local)?.value ?? '';
}

function nameOf(node: Node): string | undefined {
  const named = (node['identifier'] ?? node['id'] ?? node['key']) as { value?: unknown } | undefined;
  return typeof named?.value === 'string' ? named.value : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

/** The package of a bare target: `@app/ticket/moves/moves.ts` is of `@app/ticket`. */
export function packageOf(target: string): string {
  const [first, second] = target.split('/');
  return target.startsWith('@') ? `${first}/${second}` : (first as string);
}
