/** Posts JSON. @returns the response's JSON, empty for an empty response @throws Error for any status but 2xx */
export async function postJson(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${new URL(url).pathname} answered ${response.status}: ${text.slice(0, 300)}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
