import { createApp as createHttpApp, type Route, type VerifyToken } from '@app/http';
import { createIdempotencyKeys } from '@app/idempotency';
import { type Broker, createRelay, type Relay } from '@app/messaging';
import { createRestoreRecords, existingIn, restoreSubscription } from '@app/restore';
import type { Logger, NamedKey } from '@app/runtime';
import type { ClientSession, Connection } from 'mongoose';
import { companyUserRoutes } from './administration/company-user-routes.ts';
import { createPasswordLinkStore } from './administration/password-link-store.ts';
import { createAuditLogStore } from './audit/audit-log-store.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { companyRoutes } from './companies/company-routes.ts';
import { createCompanyStore } from './companies/company-store.ts';
import { credentialRoutes } from './credentials/credential-routes.ts';
import { createLoginThrottleStore } from './sessions/login-throttle-store.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { createSessionStore } from './sessions/session-store.ts';
import { subscriptions } from './subscriptions.ts';
import { apiTokenRoutes } from './tokens/api-token-routes.ts';
import { createApiTokenStore } from './tokens/api-token-store.ts';
import { ownAccountRoutes } from './users/own-account-routes.ts';
import { createPasswordHasher, type PasswordHasher } from './users/password.ts';
import { createPreferencesStore } from './users/preferences-store.ts';
import { userRoutes } from './users/user-routes.ts';
import { createUserStore } from './users/user-store.ts';

export type Deps = {
  connection: Connection;
  broker: Pick<Broker, 'publish' | 'subscribe'>;
  logger: Logger;
  verifyToken: VerifyToken;
  /** The first signs sessions, all verify them. */
  sessionKeys: NamedKey[];
  platformAdminTokens: readonly string[];
  /** False only if the second API is served over plain http. */
  secureCookie: boolean;
  /** The second API as users see it. */
  publicUrl: string;
  now?: () => Date;
  passwords?: PasswordHasher;
};

export type App = {
  handler: ReturnType<typeof createHttpApp>;
  routes: Route[];
  relay: Relay;
  /** Starts to consume events. */
  subscribe(): Promise<void>;
};

/** Wires the service; the caller creates the indexes, starts relay and subscriptions, and listens. */
export function createApp({ connection, broker, logger, verifyToken, now = () => new Date(), ...settings }: Deps): App {
  const relay = createRelay({ broker, logger });
  const idempotencyKeys = createIdempotencyKeys({ connection, logger });
  const deps = {
    auditLog: createAuditLogStore({ connection }),
    companies: createCompanyStore({ connection, relay }),
    users: createUserStore({ connection, relay }),
    sessions: createSessionStore({ connection, keys: settings.sessionKeys }),
    apiTokens: createApiTokenStore({ connection }),
    preferences: createPreferencesStore({ connection }),
    passwordLinks: createPasswordLinkStore({ connection }),
    throttle: createLoginThrottleStore({ connection }),
    passwords: settings.passwords ?? createPasswordHasher(),
    transaction: <T>(work: (session: ClientSession) => Promise<T>) => connection.transaction(work),
    platformAdminTokens: settings.platformAdminTokens,
    secureCookie: settings.secureCookie,
    publicUrl: settings.publicUrl,
    broker,
    logger,
    now,
  };
  const routes = [
    ...sessionRoutes(deps),
    ...apiTokenRoutes(deps),
    ...companyRoutes(deps),
    ...userRoutes(deps),
    ...ownAccountRoutes(deps),
    ...companyUserRoutes(deps),
    ...auditRoutes(deps),
    ...credentialRoutes(deps),
  ];
  const restore = {
    ...{ service: 'identity', records: createRestoreRecords(connection), broker, logger, now },
    participant: {
      existing: {
        companies: existingIn(connection.collection<{ _id: string }>('companies')),
        users: existingIn(connection.collection<{ _id: string }>('users')),
      },
    },
  };
  return {
    handler: createHttpApp({ service: 'identity', routes, logger, verifyToken, idempotencyKeys }),
    routes,
    relay,
    async subscribe() {
      for (const consumer of subscriptions(deps)) await broker.subscribe(consumer);
      await broker.subscribe(restoreSubscription(restore));
    },
  };
}
