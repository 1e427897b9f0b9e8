import type { Route } from '@app/http';
import type { CatalogueEntry } from '../catalogue.ts';
import type { DescribedService } from '../describe-services.ts';
import { heading, listed } from '../markdown.ts';

/** The map of the services: what each owns, publishes and consumes, and what it answers to other services alone. */
export function servicesPage(catalogue: CatalogueEntry[], services: DescribedService[]): string {
  const shared = sharedQueues(services);
  const withoutShared = (service: DescribedService) => ({
    ...service,
    consumes: service.consumes.filter(({ queue }) => !shared.some((one) => one.queue === queue)),
  });
  const published = (name: string) =>
    catalogue.flatMap(({ publisher, eventType }) => (publisher === name ? [eventType.type] : []));
  return [
    heading('Services', 'the tables of routes and subscriptions, and the event fixtures'),
    'The public routes, with who may call them, are at `/docs` of each API.',
    `Every service with data also consumes, by queue:\n\n${queueList(shared)}`,
    ...services.map((service) => section(withoutShared(service), published(service.name))),
  ]
    .join('\n\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .concat('\n');
}

/** The queues that every service has that consumes anything: what restores and exports ask of all. */
function sharedQueues(services: DescribedService[]): DescribedService['consumes'] {
  const consumers = services.filter(({ consumes }) => consumes.length > 0);
  const [first, ...others] = consumers;
  return (first?.consumes ?? []).filter(({ queue }) =>
    others.every(({ consumes }) => consumes.some((one) => one.queue === queue)),
  );
}

function section({ name, description, routes, consumes }: DescribedService, published: string[]): string {
  const internal = routes.filter(({ host }) => host === 'internal');
  return [
    `## ${name}\n\n${description}.`,
    ...(internal.length > 0 ? [`Answers other services:\n\n${routeList(internal)}`] : []),
    ...(published.length > 0 ? [`Publishes ${listed(published)}.`] : []),
    ...(consumes.length > 0 ? [`Consumes, by queue:\n\n${queueList(consumes)}`] : []),
  ].join('\n\n');
}

function routeList(routes: Route[]): string {
  return routes.map(({ method, path, summary }) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`).join('\n');
}

function queueList(consumes: DescribedService['consumes']): string {
  return consumes.map(({ queue, types }) => `- \`${queue}\`: ${listed(types)}`).join('\n');
}
