import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { components as TicketComponents, paths as TicketPaths } from './generated/ticket-api.d.ts';
import type { components as TsComponents, paths as TsPaths } from './generated/ts-api.d.ts';

export type TicketApi = Client<TicketPaths>;
export type TsApi = Client<TsPaths>;
/** The named schemas of their documents: `TicketSchemas['Ticket']`. */
export type TicketSchemas = TicketComponents['schemas'];
export type TsSchemas = TsComponents['schemas'];
export type { Middleware };

/** `token`: an API token or the token of a session; absent for a login. `middleware` sees every request and response. */
type Options = { baseUrl: string; token?: string; middleware?: Middleware[] };

/** The ticket API: `await api.GET('/api/v3.0/tickets/{ticket_id}', { params: { path: { ticket_id } } })`. */
export function ticketApi(options: Options): TicketApi {
  return client<TicketPaths>(options);
}

/** The second API: sessions, webhook endpoints, invoices. */
export function tsApi(options: Options): TsApi {
  return client<TsPaths>(options);
}

function client<Paths extends object>({ baseUrl, token, middleware = [] }: Options): Client<Paths> {
  const made = createClient<Paths>({
    baseUrl,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    // The documents declare lists in a query as separated by commas.
    querySerializer: { array: { style: 'form', explode: false } },
    bodySerializer: (body: unknown) => (hasFile(body) ? formOf(body) : JSON.stringify(body)),
  });
  made.use(...middleware);
  return made;
}

/** A body with a file is sent as a form, any other as JSON. */
function hasFile(body: unknown): body is object {
  return Object.values(body ?? {}).some((value) => value instanceof Blob);
}

function formOf(body: object): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(body))
    if (value !== undefined) form.append(field, value instanceof Blob ? value : String(value));
  return form;
}
