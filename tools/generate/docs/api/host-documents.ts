import { openApi } from '@app/http';
import type { HostName } from '../../../../services/gateway/routing/routes.ts';
import { describeServices, gatewayRoutes } from '../describe-services.ts';
import { mergeDocs } from './merge-docs.ts';

type Json = Record<string, unknown>;

/** The OpenAPI document of each host as the console serves it, but with example addresses. */
export async function hostDocuments(root: string): Promise<Record<HostName, Json>> {
  const services = await describeServices(root);
  const documentOf = (host: HostName) => {
    const shown = gatewayRoutes.filter((route) => route.host === host && !route.mirror);
    const behind = new Set<string>(shown.map(({ service }) => service));
    const documents = services
      .filter(({ name }) => behind.has(name))
      .map(({ name, routes, webhooks }) => openApi(name, routes, webhooks));
    // As they are in JSON.
    return mergeDocs(host, urls[host], JSON.parse(JSON.stringify(documents)) as Json[]);
  };
  return { ticket: documentOf('ticket'), ts: documentOf('ts'), download: documentOf('download') };
}

const urls: Record<HostName, string> = {
  ticket: 'https://api.tickets.test',
  ts: 'https://ts.tickets.test',
  download: 'https://files.tickets.test',
};
