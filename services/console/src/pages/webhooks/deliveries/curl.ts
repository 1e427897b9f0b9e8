/** The request as a curl command for bash. Quotes in it are escaped. */
export function curlOf({ url, headers, body }: { url: string; headers: Record<string, string>; body: string }): string {
  const parts = Object.entries(headers)
    .filter(([name]) => !/^(content-length|host|connection)$/i.test(name))
    .map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`);
  return [`curl ${quoted(url)}`, ...parts, `  --data-binary ${quoted(body)}`].join(' \\\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
