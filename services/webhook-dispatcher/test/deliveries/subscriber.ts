import type { Receiver } from '@app/testing';
import { aCompany, type Dispatcher, statusChanged } from '../dispatcher.ts';

/** An endpoint of a new company at a path of its own. */
export async function subscriberOf(
  { dispatcher, receiver }: { dispatcher: Dispatcher; receiver: Receiver },
  path: string,
  events?: string[],
) {
  const company = aCompany();
  const endpoint = await dispatcher.endpoint(company, receiver.url(path), events);
  const log = (query?: string) => dispatcher.deliveries(company, endpoint.id, query);
  const on = (action: string, body?: object) =>
    dispatcher.call(company, 'post', `/webhooks/endpoints/${endpoint.id}/${action}`, body);
  return {
    company,
    endpoint,
    log,
    on,
    at: () => receiver.at(path),
    publishEvent: () => dispatcher.publish(statusChanged([company.companyId])),
  };
}
