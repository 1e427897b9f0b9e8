/** Calls to one of the platform's APIs, as any client makes them: at the gateway, with a bearer token. */
export type Api = ReturnType<typeof createApi>;

export type Item = Record<string, unknown>;

const timeoutMs = 15_000;
const pageSize = 200;

export function createApi(baseUrl: string, token?: string) {
  return {
    get: (path: string): Promise<Record<string, unknown>> => call({ method: 'GET', url: baseUrl + path, token }),
    post: (path: string, body: object): Promise<Record<string, unknown>> =>
      call({ method: 'POST', url: baseUrl + path, token, body }),
    put: (path: string): Promise<Record<string, unknown>> => call({ method: 'PUT', url: baseUrl + path, token }),
  };
}

/** The first thing of a list that is as wanted, read page by page. `key` is what the list calls its items. */
export async function findInList(
  api: Api,
  list: { path: string; key: string },
  wanted: (item: Item) => boolean,
): Promise<Item | undefined> {
  let cursor: unknown = '';
  while (typeof cursor === 'string') {
    const page = await api.get(`${list.path}?limit=${pageSize}${cursor ? `&cursor=${cursor}` : ''}`);
    const found = (page[list.key] as Item[]).find(wanted);
    if (found) return found;
    cursor = page['cursor'] ?? page['nextCursor'];
  }
  return undefined;
}

export type List = { path: string; key: string; one: string | null };

/** Adds what is not there yet, by name. @returns the ids, in the order of `things`; `one` is the envelope of a creation */
export async function ensureAll(api: Api, list: List, things: (Item & { name: string })[]): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (const thing of things) {
    const made = await ensure(api, list, thing, 'name');
    const unwrapped = list.one && list.one in made ? (made[list.one] as Item) : made;
    ids.push(unwrapped['_id']);
  }
  return ids;
}

/** @returns the thing of the list that has the same value under `by`, else what the creation answers */
export async function ensure(api: Api, list: { path: string; key: string }, thing: Item, by: string): Promise<Item> {
  return (await findInList(api, list, (item) => item[by] === thing[by])) ?? api.post(list.path, thing);
}

type Call = { method: string; url: string; token: string | undefined; body?: object };

async function call({ method, url, token, body }: Call): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
