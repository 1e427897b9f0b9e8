import { type ExportSources, rowsOf } from '@app/service/export';
import { connectionResponse } from '../connections/connection.ts';
import type { ConnectionStore } from '../connections/connection-store.ts';
import type { JobStore } from '../jobs/job-store.ts';

type Deps = { connections: Pick<ConnectionStore, 'list'>; jobs: Pick<JobStore, 'countFailures'> };

/** The connections of a company, without their credentials. */
export function exportSources({ connections, jobs }: Deps): ExportSources {
  return {
    invoice_connections: (company, after) =>
      rowsOf({
        after,
        async read(position, limit) {
          const found = (await connections.list(company.id)).filter(({ id }) => position === null || id > position);
          const page = found.slice(0, limit);
          return Promise.all(page.map(async (one) => connectionResponse(one, await jobs.countFailures(one.id))));
        },
        rowOf: (view) => ({ position: String(view['id']), value: view }),
      }),
  };
}
