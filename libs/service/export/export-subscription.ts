import { exportPageRead, exportPageRequested } from '@app/contracts';
import { type Broker, type ConsumerOptions, on, toCloudEvents, unknownMessage } from '@app/messaging';
import type { ExportSources } from './export-source.ts';
import { readExportPage } from './read-export-page.ts';

type Deps = {
  service: string;
  sources: ExportSources;
  broker: Pick<Broker, 'publish'>;
  now?: () => Date;
};

/**
 * The queue `exports` of a service: answers each request for a page of its things by an event. It
 * keeps no state: the same request gets the same page again.
 */
export function exportSubscription({ service, sources, broker, now = () => new Date() }: Deps): ConsumerOptions {
  const read = on(exportPageRequested, async ({ data: { service: asked, ...request } }) => {
    if (asked !== service) return;
    const { export_id, company, kind, after } = request;
    const source = Object.hasOwn(sources, kind) ? sources[kind] : undefined;
    if (!source) throw unknownMessage(`${service} exports no "${kind}"`);
    const page = await readExportPage(source(company, after));
    const answer = exportPageRead({ export_id, service, kind, after, ...page }, now(), company.id);
    await broker.publish(toCloudEvents(service, [answer]));
  });
  // One page at a time: an export is not urgent.
  return { queue: 'exports', table: [read], prefetch: 1 };
}
