import { type ExportPageRead, type ExportPageRequested, exportPageRead, exportPageRequested } from '@app/contracts';
import { type Broker, type ConsumerOptions, on, toCloudEvents } from '@app/messaging';

export type Answered = Partial<Pick<ExportPageRead, 'count' | 'lines' | 'files' | 'next' | 'refused'>>;

/** Answers for the other services, by default with a last and empty page; null: not at all. */
export function otherServices(
  broker: Pick<Broker, 'publish'>,
  answer: (request: ExportPageRequested) => Answered | null,
): ConsumerOptions['table'][number] {
  return on(exportPageRequested, async ({ data }) => {
    if (data.service === 'ticket') return;
    const given = answer(data);
    if (!given) return;
    const { company: _, list: __, ...request } = data;
    const page = { count: 0, lines: '', files: [], next: null, ...request, ...given };
    await broker.publish(toCloudEvents(request.service, [exportPageRead(page, new Date())]));
  });
}
