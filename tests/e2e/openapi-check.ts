import { Ajv2020 } from 'ajv/dist/2020.js';

type Json = Record<string, unknown>;
type Operation = { requestBody?: { content: Json }; responses: Record<string, { $ref?: string; content?: Json }> };
type Call = { method: string; path: string };
type Document = { paths: Record<string, Record<string, Operation>>; components: Json };
type Answer = { method: string; path: string; status: number; body: unknown };

/** The differences between a response and the OpenAPI document: status, code, missing or unknown fields. */
export type OpenApiCheck = (answer: Answer) => string[];

export function openApiCheck(document: Document): OpenApiCheck {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(closed(document) as object, 'api');
  const validators = new Map<string, ReturnType<typeof ajv.compile>>();
  const validatorOf = (at: string) => {
    const validate = validators.get(at) ?? ajv.compile({ $ref: `api${at}/content/application~1json/schema` });
    validators.set(at, validate);
    return validate;
  };
  const find = operationFinder(document);

  return ({ method, path, status, body }) => {
    const found = find({ method, path });
    if (!found) return [];
    const response = found.operation.responses[status];
    if (!response) return [`${status} is not documented: ${JSON.stringify(body)}`];
    if (response.content && !('application/json' in response.content)) return [];
    const at =
      response.$ref ?? `#/${['paths', found.path, method.toLowerCase(), 'responses', status].map(escaped).join('/')}`;
    if (!response.$ref && !response.content)
      return body === '' || body === undefined ? [] : ['a body is not documented'];
    const validate = validatorOf(at);
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${status} ${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** Finds the documented operation of a call; null if there is none. */
export function operationFinder(document: Document): (call: Call) => { path: string; operation: Operation } | null {
  const paths = Object.entries(document.paths).map(([path, operations]) => ({
    path,
    operations,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
    parameters: path.split('{').length,
  }));
  // `/invoices/in-review` before `/invoices/{id}`.
  paths.sort((a, b) => a.parameters - b.parameters);

  return ({ method, path }) => {
    const found = paths.find(({ pattern }) => pattern.test(path));
    const operation = found?.operations[method.toLowerCase()];
    return found && operation ? { path: found.path, operation } : null;
  };
}

const escaped = (key: string | number) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1'));

/**
 * The schema with unknown fields forbidden. Parts of an `allOf` and errors stay open: the other part, or the rule,
 * adds fields.
 */
function closed(value: unknown, key = ''): unknown {
  if (typeof value !== 'object' || value === null || key === 'allOf' || key === 'Error') return value;
  if (Array.isArray(value)) return value.map((inner) => closed(inner));
  const inner = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one, name)]));
  return 'properties' in inner && inner['additionalProperties'] === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
}
