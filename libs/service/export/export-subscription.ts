import { type ExportPageRequested, exportPageRead, exportPageRequested } from '@app/contracts';
import type { Route } from '@app/http';
import { readSheetPage } from '@app/http/lists';
import { AppError, ValidationError } from '@app/kernel';
import { type Broker, type ConsumerOptions, on, toCloudEvents, unknownMessage } from '@app/messaging';
import type { ExportSources } from './export-source.ts';
import { type ExportPage, readExportPage } from './read-export-page.ts';

type Deps = {
  service: string;
  sources: ExportSources;
  /** Those of the service, whose lists are exported too. */
  routes?: readonly Route[];
  broker: Pick<Broker, 'publish'>;
  now?: () => Date;
};

/**
 * The queue `exports` of a service: answers each request for a page of its things, or of a list, by an event. It
 * keeps no state: the same request gets the same page again.
 */
export function exportSubscription({
  service,
  sources,
  routes = [],
  broker,
  now = () => new Date(),
}: Deps): ConsumerOptions {
  const pageOf = ({ company, kind, after, list }: Omit<ExportPageRequested, 'service'>) => {
    if (list) return listPage(routes, { ...list, after });
    const source = Object.hasOwn(sources, kind) ? sources[kind] : undefined;
    if (!source) throw unknownMessage(`${service} exports no "${kind}"`);
    return readExportPage(source(company, after));
  };
  const read = on(exportPageRequested, async ({ data: { service: asked, ...request } }) => {
    if (asked !== service) return;
    const { export_id, company, kind, after } = request;
    const page = await pageOf(request);
    const answer = exportPageRead({ export_id, service, kind, after, ...page }, now(), company.id);
    await broker.publish(toCloudEvents(service, [answer]));
  });
  // One page at a time: an export is not urgent.
  return { queue: 'exports', table: [read], prefetch: 1 };
}

/** What may be otherwise later, when the message is read again. */
const passing = ['timeout', 'unavailable'];

/** A page of a list, or why the caller is refused. */
async function listPage(
  routes: readonly Route[],
  wanted: Parameters<typeof readSheetPage>[1],
): Promise<ExportPage & { refused?: string }> {
  try {
    const { lines, next } = await readSheetPage(routes, wanted);
    return { count: lines.length, lines: lines.map((line) => `${JSON.stringify(line)}\n`).join(''), files: [], next };
  } catch (error) {
    const isRefusal = error instanceof AppError && !passing.includes(error.kind);
    if (!isRefusal && !(error instanceof ValidationError)) throw error;
    const refused =
      error instanceof ValidationError ? error.errors.map(({ message }) => message).join(', ') : error.message;
    return { count: 0, lines: '', files: [], next: null, refused };
  }
}
