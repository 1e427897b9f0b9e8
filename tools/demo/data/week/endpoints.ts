import type { TsSchemas } from '@app/api-client';
import type { Actors } from '../calls/actors.ts';
import { ok } from '../calls/calls.ts';

type Events = TsSchemas['Endpoint']['events'];

const endpoints: { name: string; path: string; events: Events }[] = [
  {
    name: 'ERP',
    path: '/erp',
    events: ['ticket.status_changed', 'ticket.quote_added', 'ticket.purchase_added', 'ticket.invoice_added'],
  },
  // It fails. Its events are rare, so that there are few failures to read.
  { name: 'CMMS', path: '/cmms', events: ['ticket.report_added', 'ticket.invoice_added'] },
];

/**
 * The client's two subscriptions. Those of an earlier start stay as they are. One of the same name
 * with another address is a user's own, and does not count.
 */
export async function addEndpoints({ operator }: Actors, receivers: string): Promise<void> {
  const { items } = await ok(() => operator.GET('/webhooks/endpoints'));
  for (const { name, path, events } of endpoints) {
    if (items.some((one) => one.name === name && one.url.endsWith(path))) continue;
    const header = { 'Idempotency-Key': `demo-week/endpoint/${name}` };
    const body = { name, url: receivers + path, events };
    await ok(() => operator.POST('/webhooks/endpoints', { params: { header }, body }));
  }
}
