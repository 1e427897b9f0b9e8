import type { SealedTexts } from '@app/runtime';
import type { Connection } from 'mongoose';
import { headersContext } from './custom-header.ts';
import { type EndpointRecord, endpointCollection, notDeleted } from './endpoint-store.ts';

/** The secrets and headers of all endpoints, for `npm run ops -- re-encrypt`. */
export function sealedSecrets(connection: Connection): SealedTexts<EndpointRecord> {
  return {
    collection: endpointCollection(connection),
    filter: notDeleted,
    sealedIn: ({ _id: id, sealedSecret, customHeaders }) => [
      { field: 'sealedSecret', sealed: sealedSecret, context: id },
      ...(customHeaders
        ? [{ field: 'customHeaders.sealed', sealed: customHeaders.sealed, context: headersContext(id) }]
        : []),
    ],
  };
}
