type Json = Record<string, unknown>;
type Schema = Json & {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
};
type Parameter = Json & { $ref?: string; name: string; in: string; required?: boolean; schema?: Schema };
type Body = Json & { $ref?: string; required?: boolean; content?: Record<string, { schema?: Schema }> };
type Operation = Json & { parameters?: Parameter[]; requestBody?: Body; responses: Record<string, Body> };
export type Document = Json & { paths: Record<string, Record<string, Operation>> };

/**
 * What callers rely on, a line each.
 * `offered`: operations, and what requests and answers may hold. Callers break if a line goes.
 * `demanded`: what requests must hold, and fields of answers that may be missing or null. Callers
 * break if a line is added, unless what contains it (its value here) is new as well.
 */
type Surface = { offered: Set<string>; demanded: Map<string, string> };

function surfaceOf(document: Document): Surface {
  const surface: Surface = { offered: new Set(), demanded: new Map() };
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      surface.offered.add(name);
      addRequest({ document, surface }, name, operation);
      for (const [status, response] of Object.entries(operation.responses)) {
        // Every failure has the same body; which codes there are may change.
        if (!status.startsWith('2')) continue;
        surface.offered.add(`${name} ${status}`);
        addContent({ document, surface, of: 'answer' }, `${name} ${status}`, resolved(document, response));
      }
    }
  }
  return surface;
}

type Walk = { document: Document; surface: Surface };

function addRequest(walk: Walk, name: string, { parameters = [], requestBody }: Operation): void {
  for (const given of parameters) {
    const parameter = resolved(walk.document, given);
    const line = `${name} ${parameter.in} ${parameter.name}`;
    walk.surface.offered.add(line);
    if (parameter.required) walk.surface.demanded.set(`${line} required`, name);
    if (parameter.schema) addSchema({ ...walk, of: 'request' }, line, parameter.schema);
  }
  if (!requestBody) return;
  const body = resolved(walk.document, requestBody);
  if (body.required) walk.surface.demanded.set(`${name} body required`, name);
  addContent({ ...walk, of: 'request' }, `${name} body`, body);
}

type SchemaWalk = Walk & { of: 'request' | 'answer'; within?: string[] };

function addContent(walk: SchemaWalk, line: string, { content = {} }: Body): void {
  for (const [type, { schema }] of Object.entries(content)) {
    walk.surface.offered.add(`${line} ${type}`);
    if (schema) addSchema(walk, `${line} ${type}`, schema);
  }
}

function addSchema(walk: SchemaWalk, line: string, given: Schema): void {
  const { surface, of, within = [] } = walk;
  // A recursive schema is described once, at its outermost place.
  if (given.$ref && within.includes(given.$ref)) return;
  const inner = { ...walk, within: given.$ref ? [...within, given.$ref] : within };
  const schema = resolved(walk.document, given);
  for (const type of [schema.type ?? []].flat()) {
    if (of === 'answer' && type === 'null') surface.demanded.set(`${line}: null`, line);
    else surface.offered.add(`${line}: ${type}`);
  }
  for (const value of [...((schema['enum'] as unknown[]) ?? []), ...('const' in schema ? [schema['const']] : [])]) {
    if (value !== null) surface.offered.add(`${line} = ${JSON.stringify(value)}`);
  }
  addProperties(inner, line, schema);
  if (schema['items']) addSchema(inner, `${line}[]`, schema['items'] as Schema);
  if (typeof schema['additionalProperties'] === 'object') {
    addSchema(inner, `${line}.*`, schema['additionalProperties'] as Schema);
  }
  for (const choice of ['oneOf', 'anyOf', 'allOf']) {
    for (const one of (schema[choice] as Schema[]) ?? []) addSchema(inner, line, one);
  }
}

function addProperties(walk: SchemaWalk, line: string, { properties = {}, required = [] }: Schema): void {
  const { surface, of } = walk;
  if (Object.keys(properties).length > 0) surface.offered.add(line);
  for (const [name, property] of Object.entries(properties)) {
    const field = `${line}.${name}`;
    surface.offered.add(field);
    if (of === 'request' && required.includes(name)) surface.demanded.set(`${field} required`, line);
    if (of === 'answer' && !required.includes(name)) surface.demanded.set(`${field} optional`, field);
    addSchema(walk, field, property);
  }
}

function resolved<T extends { $ref?: string }>(document: Document, given: T): T {
  if (!given.$ref) return given;
  const steps = given.$ref.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((value, step) => (value as Json)[step], document) as T;
}

/** What callers of the earlier document would miss in the later one, or be asked for anew. What is deprecated may go. */
export function breaksBetween(earlier: Document, later: Document): string[] {
  const [before, after] = [surfaceOf(withoutDeprecated(earlier)), surfaceOf(later)];
  const gone = [...before.offered].filter((line) => !after.offered.has(line));
  const asked = [...after.demanded].filter(
    ([line, within]) => before.offered.has(within) && !before.demanded.has(line),
  );
  return [...gone.map((line) => `gone: ${line}`), ...asked.map(([line]) => `new: ${line}`)];
}

function withoutDeprecated(document: Document): Document {
  const paths = Object.entries(document.paths).map(([path, operations]) => {
    const kept = Object.entries(operations).filter(([, operation]) => operation['deprecated'] !== true);
    return [path, Object.fromEntries(kept)] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
