import { textOf } from '../../../components/forms/form.tsx';
import type { EndpointInput, EventName } from '../endpoints.ts';
import { headersOf } from './custom-headers.ts';

/** The values of `EndpointFields`. `headers` is missing if the field is empty: the stored ones stay. */
export function endpointInput(values: FormData): EndpointInput {
  const headers = headersOf(textOf(values, 'headers') ?? '');
  return {
    name: textOf(values, 'name') ?? '',
    url: textOf(values, 'url') ?? '',
    events: values.getAll('events') as EventName[],
    ...(headers.length > 0 && { headers }),
  };
}
