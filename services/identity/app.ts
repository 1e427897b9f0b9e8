import { createApp as createHttpApp, type Route, type VerifyToken } from '@app/http';
import { type Broker, createRelay, type Relay } from '@app/messaging';
import type { Logger, NamedKey } from '@app/runtime';
import type { Connection } from 'mongoose';
import { apiTokenRoutes } from './api-token-routes.ts';
import { createApiTokenStore } from './api-token-store.ts';
import { createAttemptStore } from './attempt-store.ts';
import { companyRoutes } from './company-routes.ts';
import { createCompanyStore } from './company-store.ts';
import { credentialRoutes } from './credential-routes.ts';
import { createPasswordHasher, type PasswordHasher } from './password.ts';
import { sessionRoutes } from './session-routes.ts';
import { createSessionStore } from './session-store.ts';
import { subscriptions } from './subscriptions.ts';
import { userRoutes } from './user-routes.ts';
import { createUserStore } from './user-store.ts';

export type Deps = {
  connection: Connection;
  broker: Pick<Broker, 'publish' | 'subscribe'>;
  logger: Logger;
  verifyToken: VerifyToken;
  /** The first signs sessions, all verify them. */
  sessionKeys: NamedKey[];
  platformAdminToken: string;
  /** False only where the second API is reached by plain http. */
  secureCookie: boolean;
  now?: () => Date;
  passwords?: PasswordHasher;
};

export type App = {
  handler: ReturnType<typeof createHttpApp>;
  routes: Route[];
  relay: Relay;
  /** Starts listening to events. */
  subscribe(): Promise<void>;
};

/** The service on its real parts; the caller makes the indexes, starts relay and subscriptions, and listens. */
export function createApp({ connection, broker, logger, verifyToken, now = () => new Date(), ...settings }: Deps): App {
  const relay = createRelay({ broker, logger });
  const deps = {
    companies: createCompanyStore({ connection, relay }),
    users: createUserStore({ connection, relay }),
    sessions: createSessionStore({ connection, keys: settings.sessionKeys }),
    apiTokens: createApiTokenStore({ connection }),
    attempts: createAttemptStore({ connection }),
    passwords: settings.passwords ?? createPasswordHasher(),
    platformAdminToken: settings.platformAdminToken,
    secureCookie: settings.secureCookie,
    broker,
    logger,
    now,
  };
  const routes = [
    ...sessionRoutes(deps),
    ...apiTokenRoutes(deps),
    ...companyRoutes(deps),
    ...userRoutes(deps),
    ...credentialRoutes(deps),
  ];
  return {
    handler: createHttpApp({ service: 'identity', routes, logger, verifyToken }),
    routes,
    relay,
    async subscribe() {
      for (const consumer of subscriptions(deps)) await broker.subscribe(consumer);
    },
  };
}
