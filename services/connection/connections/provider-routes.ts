import { named, type Route, route } from '@app/http';
import Joi from 'joi';
import { connectionRoute } from './connection-routes.ts';
import type { Providers } from './provider-clients.ts';

const providerResponse = named('InvoiceProvider', {
  key: Joi.string().description('the `provider` of a connection'),
  name: Joi.string(),
  webhookPath: Joi.string().allow(null).description('where it posts what changed, on this host; null: it does not'),
  signatureHeader: Joi.string().allow(null).description('the header that signs such a request'),
  takesOAuth: Joi.boolean().description('whether a connection may have an OAuth2 client instead of an API key'),
  hasTokenUrl: Joi.boolean().description(
    'whether such a client gets its tokens without an `oauthTokenUrl` of the connection',
  ),
  takesRefusals: Joi.boolean().description('whether it is told that a person refused an invoice'),
});

export function providerRoutes({ providers }: { providers: Providers }): Route[] {
  return [
    route({
      ...connectionRoute,
      method: 'get',
      path: '/invoice-providers',
      summary: 'List the AP providers that a company can connect to',
      reply: { status: 200, schema: Joi.array().items(providerResponse) },
      async handle() {
        return [...providers.values()].map(({ provider: { key, name, capabilities }, tokenUrl }) => ({
          key,
          name,
          webhookPath: capabilities.webhook ? `/webhooks/invoice-providers/${key}` : null,
          signatureHeader: capabilities.webhook ? `x-${key}-signature` : null,
          takesOAuth: capabilities.oauth,
          hasTokenUrl: tokenUrl !== null,
          takesRefusals: capabilities.statuses.refused !== undefined,
        }));
      },
    }),
  ];
}
