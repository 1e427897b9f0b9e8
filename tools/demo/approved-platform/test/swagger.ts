import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Exchange } from './client.ts';

type Content = Record<string, { schema?: object }>;
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
type Parameter = { name: string; in: string; required?: boolean; schema: object };
type Swagger = { paths: Record<string, Record<string, object>>; components: { schemas: Record<string, object> } };

/** What breaks the standard's description of an exchange, as sentences; none if it is as described. */
export type Description = { problemsOf(exchange: Exchange): string[]; problemsOfFlow(flow: unknown): string[] };

const formats = {
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
  uri: (text: string) => URL.canParse(text),
  'uri-reference': true as const,
  binary: true as const,
  int32: true as const,
  int64: true as const,
};

/** The documents of the standard, which are not in this repository; null where they are not given. */
export function descriptionIn(folder: string | undefined): Description | null {
  const files = ['flow-service', 'directory-service'].map((name) => join(folder ?? '', `${name}-1.3.0.json`));
  if (folder === undefined || !files.every((file) => existsSync(file))) return null;
  const [flows, directory] = files.map((file) => describe(JSON.parse(readFileSync(file, 'utf8')) as Swagger));
  return {
    problemsOf: (exchange) =>
      flows?.problemsOf(exchange) ?? directory?.problemsOf(exchange) ?? [`no path ${exchange.path}`],
    problemsOfFlow: (flow) => flows?.problemsOfSchema('Flow', flow) ?? [],
  };
}

function describe(swagger: Swagger) {
  const { ReasonCode } = swagger.components.schemas as { ReasonCode?: { oneOf?: object[]; anyOf?: object[] } };
  // A slip: each predefined code is one of both alternatives.
  if (ReasonCode?.oneOf) {
    ReasonCode.anyOf = ReasonCode.oneOf;
    delete ReasonCode.oneOf;
  }
  const ajv = new Ajv({ strict: false, formats, allErrors: true });
  ajv.addSchema(swagger, 'swagger');
  const compiled = new Map<string, ValidateFunction>();
  const problems = (what: string, schema: object | undefined, value: unknown): string[] => {
    if (schema === undefined) return [];
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/', '"swagger#/')) as object);
    compiled.set(key, validate);
    return validate(value) ? [] : [`${what}: ${ajv.errorsText(validate.errors)}`];
  };
  const resolve = <T>(part: object | undefined): T | undefined => {
    const pointer = (part as { $ref?: string } | undefined)?.$ref;
    if (pointer === undefined) return part as T | undefined;
    return pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], swagger) as T;
  };
  const content = (what: string, of: Content | undefined, type: string, value: unknown) => {
    if (of === undefined) return value === '' || value === undefined ? [] : [`${what} has a body`];
    return of[type] ? problems(what, of[type].schema, value) : [`${what} is no ${type}`];
  };
  return {
    problemsOfSchema: (name: string, value: unknown) => problems(name, { $ref: `#/components/schemas/${name}` }, value),
    /** Undefined if no path of this service is meant. */
    problemsOf({ method, path, headers, sent, status, type, body }: Exchange): string[] | undefined {
      const { pathname, searchParams } = new URL(path, 'http://localhost');
      const found = Object.keys(swagger.paths)
        .toSorted((one, other) => one.split('{').length - other.split('{').length)
        .find((template) => new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(pathname));
      const operation = resolve<Operation>(swagger.paths[found ?? '']?.[method.toLowerCase()]);
      if (!operation) return undefined;
      const name = `${method} ${path} ${status}`;
      const parameters = (operation.parameters ?? []).flatMap((one) => {
        const { name: called, in: where, schema } = resolve<Parameter>(one) as Parameter;
        const value = where === 'header' ? headers[called.toLowerCase()] : searchParams.get(called);
        return where === 'path' || value === null || value === undefined ? [] : problems(called, schema, value);
      });
      const response = resolve<{ content?: Content }>(operation.responses[status]);
      const request = resolve<{ content: Content }>(operation.requestBody)?.content;
      const [requestType = ''] = Object.keys(request ?? {});
      const said = sent instanceof FormData ? { flowInfo: JSON.parse(String(sent.get('flowInfo'))), file: '' } : sent;
      const asked = [...parameters, ...content(`${name}, the request`, request, requestType, said)];
      return [
        // What is refused may be wrong.
        ...(status === 400 ? [] : asked),
        ...(response ? content(name, response.content, type ?? '', body) : [`${name} has a status of its own`]),
      ];
    },
  };
}
