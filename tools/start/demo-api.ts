/** Calls to one of the platform's APIs, as any client makes them: at the gateway, with a bearer token. */
export type Api = {
  get(path: string): Promise<Record<string, unknown>>;
  post(path: string, body: object): Promise<Record<string, unknown>>;
};

export type Item = Record<string, unknown>;

const timeoutMs = 15_000;
const pageSize = 200;

export function createApi(baseUrl: string, token?: string): Api {
  return {
    get: (path) => call({ method: 'GET', url: baseUrl + path, token }),
    post: (path, body) => call({ method: 'POST', url: baseUrl + path, token, body }),
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
  return JSON.parse(text) as Record<string, unknown>;
}
