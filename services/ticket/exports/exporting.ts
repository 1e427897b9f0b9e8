import type { Route } from '@app/http';
import type { Broker } from '@app/messaging';
import type { Logger } from '@app/runtime';
import { exportSubscription } from '@app/service/export';
import type { Storage } from '@app/storage';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import { createTicketPages } from './export-queries-store.ts';
import { exportRoutes } from './export-routes.ts';
import { exportSources } from './export-sources.ts';
import { createExportStore } from './export-store.ts';
import { type ExportTimes, ExportWorker } from './export-worker.ts';
import { createRequestOf } from './list-export.ts';

type Deps = Omit<Parameters<typeof exportSources>[0], 'ticketPages'> &
  Parameters<typeof createExportStore>[0] & {
    broker: Pick<Broker, 'publish'>;
    storage: Storage;
    companies: CompanyDirectory;
    referentials: Pick<ReferentialStore, 'placesBelow'>;
    /** The lists of this service. */
    lists: readonly Route[];
    logger: Logger;
    now: () => Date;
    exportTimes?: ExportTimes | undefined;
  };

export type { ExportTimes };

/** Exports of companies and lists: this service makes them, of what all services have, and has tickets to give itself. */
export function createExporting(deps: Deps) {
  const { connection, broker, lists, now, exportTimes: times } = deps;
  const store = createExportStore(deps);
  const requestOf = createRequestOf(deps);
  const worker = new ExportWorker({ ...deps, requestOf, store, ...times });
  const sources = exportSources({ ...deps, ticketPages: createTicketPages(connection) });
  return {
    routes: exportRoutes({ ...deps, requestOf, exports: store, exportWorker: worker }),
    worker,
    subscriptions: [
      exportSubscription({ service: 'ticket', sources, routes: lists, broker, now }),
      worker.subscription,
    ],
  };
}
