import { type ExportSources, nestedRows, rowsOf } from '@app/service/export';
import type { Delivery } from '../deliveries/delivery.ts';
import { loggedBy } from '../deliveries/delivery-list.ts';
import type { DeliveryLogStore } from '../deliveries/delivery-log-store.ts';
import { toDelivery } from '../deliveries/delivery-store.ts';
import { endpointResponse } from '../endpoints/endpoint.ts';
import type { EndpointStore } from '../endpoints/endpoint-store.ts';

type Deps = { endpoints: Pick<EndpointStore, 'list'>; log: Pick<DeliveryLogStore, 'withBodies'> };

/** A body has up to 256 KB. */
const deliveriesAtOnce = 20;

/** The endpoints of a company without secrets and values of headers, and the deliveries of each with what was sent. */
export function exportSources({ endpoints, log }: Deps): ExportSources {
  async function* endpointsOf(companyId: string, from: string | null) {
    const found = (await endpoints.list(companyId)).sort((one, other) => (one.id < other.id ? -1 : 1));
    yield* found.filter(({ id }) => from === null || id >= from);
  }
  return {
    async *webhook_endpoints(company, after) {
      for await (const endpoint of endpointsOf(company.id, after)) {
        if (endpoint.id !== after) yield { position: endpoint.id, value: endpointResponse(endpoint) };
      }
    },
    webhook_deliveries: (company, after) =>
      nestedRows({
        after,
        things: (from) => endpointsOf(company.id, from),
        idOf: ({ id }) => id,
        rows: ({ id }, within) =>
          rowsOf({
            after: within,
            limit: deliveriesAtOnce,
            read: (position, limit) => log.withBodies.rows(id, loggedBy({}), { after: position, limit }),
            rowOf: ({ position, document }) => ({ position, value: exported(toDelivery(document)) }),
          }),
      }),
  };
}

function exported({ body, tries: _, enabling: _enabling, isForManagers: _isForManagers, ...delivery }: Delivery) {
  return { ...delivery, body: JSON.parse(body) };
}
