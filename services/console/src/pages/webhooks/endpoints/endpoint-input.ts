import { textOf } from '../../../components/form.tsx';
import type { EndpointInput, EventName } from './endpoints.ts';
import { headersOf } from './own-headers.ts';

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
