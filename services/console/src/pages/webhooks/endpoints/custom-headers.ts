import type { Header } from '../endpoints.ts';

/** The headers of a text with one `Name: value` per line. */
export function headersOf(text: string): Header[] {
  return linesOf(text).map((line) => {
    const colon = line.indexOf(':');
    return { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
  });
}

/** The first line that is not a header; null if all are. */
export function badHeaderLine(text: string): string | null {
  return linesOf(text).find((line) => !/^[^\s:]+\s*:\s*\S/.test(line)) ?? null;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
