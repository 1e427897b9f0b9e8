import { textOf } from '../../components/form.tsx';
import type { EndpointInput, EventName, Header } from './endpoints.ts';

/** What the fields of `EndpointFields` hold. `headers` is missing if the field is empty: those that are set stay. */
export function endpointInput(values: FormData): EndpointInput {
  const headers = headersOf(textOf(values, 'headers') ?? '');
  return {
    name: textOf(values, 'name') ?? '',
    url: textOf(values, 'url') ?? '',
    events: values.getAll('events') as EventName[],
    ...(headers.length > 0 && { headers }),
  };
}

/** `Name: value`, one a line. */
export function headersOf(text: string): Header[] {
  return linesOf(text).map((line) => {
    const colon = line.indexOf(':');
    return { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
  });
}

/** The first line that is no header; null if there is none. */
export function badHeaderLine(text: string): string | null {
  return linesOf(text).find((line) => !/^[^\s:]+\s*:\s*\S/.test(line)) ?? null;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
