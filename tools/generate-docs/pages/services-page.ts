import type { Access, Route } from '@app/http';
import type { CatalogueEntry } from '../catalogue.ts';
import { type DescribedService, gatewayRoutes } from '../describe-services.ts';
import { code, heading, listed, table } from '../markdown.ts';

const hosts: Record<string, string> = {
  ticket: '{base_url}',
  ts: '{ts_api_url}',
  download: '{download_host}',
  internal: 'internal',
};

/** The map of the services: what each owns, answers, publishes and consumes. */
export function servicesPage(catalogue: CatalogueEntry[], services: DescribedService[]): string {
  const published = (name: string) =>
    catalogue.flatMap(({ publisher, eventType }) => (publisher === name ? [eventType.type] : []));
  return [
    heading('Services', 'the tables of routes and subscriptions, and the event fixtures'),
    table(
      ['service', 'what it is there for', 'routes', 'publishes', 'consumes'],
      services.map(({ name, description, routes, consumes }) => [
        `[${name}](#${name})`,
        description,
        String(routes.length || '-'),
        String(published(name).length || '-'),
        String(consumes.flatMap(({ types }) => types).length || '-'),
      ]),
    ),
    '## Who tells whom\n',
    code('mermaid', flowchart(catalogue, services)),
    ...services.map((service) => section(service, published(service.name))),
  ]
    .join('\n\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .concat('\n');
}

/** An arrow from each publisher to the queue. */
function flowchart(catalogue: CatalogueEntry[], services: DescribedService[]): string {
  const node = (name: string) => name.replaceAll('-', '_');
  const edges = services.flatMap(({ name, consumes }) =>
    consumes.flatMap(({ queue, types }) => {
      const byPublisher = Map.groupBy(types, (type) => publisherOf(catalogue, type));
      return [...byPublisher].map(
        ([publisher, told]) => `  ${node(publisher)} -->|"${told.join('<br>')}<br>(queue ${queue})"| ${node(name)}`,
      );
    }),
  );
  const names = services.filter(({ name }) => edges.some((edge) => edge.includes(node(name))));
  return ['flowchart LR', ...names.map(({ name }) => `  ${node(name)}["${name}"]`), ...edges].join('\n');
}

function publisherOf(catalogue: CatalogueEntry[], type: string): string {
  const entry = catalogue.find(({ eventType }) => eventType.type === type);
  if (!entry) throw new Error(`${type} is consumed and not in the contracts`);
  return entry.publisher;
}

function section({ name, description, routes, consumes }: DescribedService, published: string[]): string {
  return [
    `## ${name}\n\n${description}.`,
    ...(name === 'gateway' ? [gatewayTable()] : routes.length > 0 ? [routeTable(routes)] : []),
    ...(published.length > 0 ? [`Publishes ${listed(published)}.`] : []),
    ...consumes.map(({ queue, types }) => `Consumes, queue \`${queue}\`: ${listed(types)}.`),
  ].join('\n\n');
}

function gatewayTable(): string {
  const rows = gatewayRoutes.map(({ host, path, service, ...row }) => [
    hosts[host] as string,
    `\`${path}\``,
    service,
    row.public ? 'anybody' : 'a credential',
  ]);
  return `The longest prefix that matches wins; \`*\` is one segment. What no running service stands behind is 404.\n\n${table(['host', 'prefix', 'service', 'let through'], rows)}`;
}

function routeTable(routes: Route[]): string {
  const rows = routes.map(({ host, method, path, summary, access }) => [
    hosts[host] as string,
    `\`${method.toUpperCase()} ${path}\``,
    summary,
    who(access),
  ]);
  return table(['host', 'route', 'what it does', 'who may'], rows);
}

function who(access: Access): string {
  if (access === 'public') return 'anybody';
  if (access === 'platform') return 'the platform administrator';
  if (access === 'service') return 'a service';
  const permission = access.permission ? `permission \`${access.permission}\`` : 'any user';
  return access.only ? `${permission}, of a ${access.only.kind}` : permission;
}
