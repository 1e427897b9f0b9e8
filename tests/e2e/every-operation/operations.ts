import type { AxiosResponse } from 'axios';
import { caller, type Member, stack } from '../platform.ts';

export type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  maxLength?: number;
  anyOf?: Schema[];
};
type Parameter = { name: string; in: string; schema: Schema };

export type Operation = {
  host: 'ticket' | 'ts';
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | null;
  security: Record<string, unknown>[];
  /** The permissions of which it needs one; none: it needs none. */
  permissions: string[];
};

type Documented = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  security: Record<string, unknown>[];
  description: string;
};
export type Document = { paths: Record<string, Record<string, Documented>> };

/** Every operation that the two APIs document; tests over all routes use it. */
export async function operations(): Promise<Operation[]> {
  const [ticket, ts] = await Promise.all([
    caller(stack().ticketApi)('GET /openapi.json'),
    caller(stack().tsApi)('GET /openapi.json'),
  ]);
  return [...operationsOf('ticket', ticket.data), ...operationsOf('ts', ts.data)];
}

export function operationsOf(host: Operation['host'], document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, security, description }]) => ({
      host,
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody?.content['application/json']?.schema ?? null,
      security,
      permissions:
        /Needs the permission (.+?)\./
          .exec(description)?.[1]
          ?.match(/\w+/g)
          ?.filter((word) => word !== 'or') ?? [],
    })),
  );
}

export const nameOf = ({ host, method, path }: Operation) => `${host} ${method} ${path}`;
export const isAdministration = ({ security }: Operation) => security.some((way) => 'platformAdmin' in way);
export const isPublic = ({ security }: Operation) => security.length === 0;
export const pathParameters = ({ parameters }: Operation) =>
  parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);

/** The second API calls every id `id`; the beginning of the path says what it identifies. */
const idsByPrefix = {
  '/api-tokens': 'api_token_id',
  '/auth/sessions': 'session_id',
  '/auth/sso/callback': 'company_id',
  '/company/users': 'user_id',
  '/company/filters/tickets': 'filter_id',
  '/company/filters/invoices': 'invoice_filter_id',
  '/admin/users': 'user_id',
  '/admin/companies': 'company_id',
  '/admin/exports': 'export_id',
  '/exports': 'list_export_id',
  '/webhooks/endpoints': 'endpoint_id',
  '/invoice-connections': 'connection_id',
  '/invoices': 'invoice_id',
};

/** Fills the parameters of a path. @throws Error naming a parameter without a known value */
export function pathWith(operation: Operation, values: Record<string, string>): string {
  const [, meant] = Object.entries(idsByPrefix).find(([prefix]) => operation.path.startsWith(`${prefix}/`)) ?? [];
  const base: Record<string, string | undefined> = meant === undefined ? values : { ...values, id: values[meant] };
  return operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = base[name];
    if (value === undefined) throw new Error(`${nameOf(operation)}: this test knows no value for {${name}}; add one`);
    return value;
  });
}

/** Calls an operation as a member of a company. */
export function callAs(member: Member, operation: Operation, path: string, body?: unknown) {
  const call = operation.host === 'ts' ? member.ts : caller(stack().ticketApi, member.session);
  return call(`${operation.method} ${path}`, body);
}

export type Outcome = { operation: string; status: number; code?: string };

/** What each of these operations answers, one after the other. */
export async function outcomesOf(
  some: Operation[],
  send: (operation: Operation) => Promise<AxiosResponse>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const operation of some) {
    const { status, data } = await send(operation);
    outcomes.push({ operation: nameOf(operation), status, code: data?.code });
  }
  return outcomes;
}
