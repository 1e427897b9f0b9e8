import { createApp as createHttpApp, type VerifyToken } from '@app/http';
import { type Broker, createRelay } from '@app/messaging';
import { createSecretBox, type Logger, type NamedKey } from '@app/runtime';
import { createIdempotencyKeys } from '@app/runtime/idempotency';
import { createAddressPolicy, createResolve, type Resolve } from '@app/runtime/ssrf-guard';
import { exportSubscription } from '@app/service/export';
import { createRestoreRecords, existingIn, restoreSubscription } from '@app/service/restore';
import type { ClientSession, Connection } from 'mongoose';
import { companyUserRoutes } from './administration/company-user-routes.ts';
import { createPasswordLinkStore } from './administration/password-link-store.ts';
import { createAuditLogStore } from './audit/audit-log-store.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { companyRoutes } from './companies/company-routes.ts';
import { createCompanyStore } from './companies/company-store.ts';
import { credentialRoutes } from './credentials/credential-routes.ts';
import { erasureRoutes } from './erasure/erasure-routes.ts';
import { publishErasures } from './erasure/publish-erasures.ts';
import { exportSources } from './exports/export-sources.ts';
import { createAccountMailStore } from './mail/account-mail-store.ts';
import { createInboundMailStore } from './mail/inbound/inbound-mail-store.ts';
import { inboundRoutes } from './mail/inbound/inbound-routes.ts';
import { createMailboxStore } from './mail/inbound/mailbox-store.ts';
import { createReplyAddresses } from './mail/inbound/reply-address.ts';
import { type AnswerSettings, createMail } from './mail/mail.ts';
import type { MailServer } from './mail/mail-client.ts';
import { createNotificationMailStore } from './mail/outbound/notification-mail-store.ts';
import { createUnsubscribeLinks, unsubscribeRoutes } from './mail/outbound/unsubscribe-routes.ts';
import { passwordResetRoutes } from './mail/password-reset-routes.ts';
import { notificationChanges } from './notifications/notification-changes-store.ts';
import { notificationRoutes } from './notifications/notification-routes.ts';
import { createNotificationStore } from './notifications/notification-store.ts';
import { NotificationStreams } from './notifications/notification-streams.ts';
import { passwordRoutes } from './passwords/password-routes.ts';
import { savedFilterRoutes } from './saved-filters/saved-filter-routes.ts';
import { createSavedFilterStore } from './saved-filters/saved-filter-store.ts';
import { createKnownDevices } from './sessions/known-device.ts';
import { createLoginThrottleStore } from './sessions/login-throttle-store.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { createSessionStore } from './sessions/session-store.ts';
import { createDomainProofStore } from './sso/domains/domain-proof-store.ts';
import { domainRoutes } from './sso/domains/domain-routes.ts';
import { createDomainProver } from './sso/domains/prove-domains.ts';
import { createTxtLookup } from './sso/domains/txt-lookup.ts';
import { createProviderClient } from './sso/provider-client.ts';
import { createSsoFlowStore } from './sso/sso-flow-store.ts';
import { allowsPassword } from './sso/sso-settings.ts';
import { ssoSettingsRoutes } from './sso/sso-settings-routes.ts';
import { createSsoSettingsStore } from './sso/sso-settings-store.ts';
import { ssoSignInRoutes } from './sso/sso-sign-in-routes.ts';
import { subscriptions } from './subscriptions.ts';
import { createAgendaFeedStore } from './tokens/agenda-feed-store.ts';
import { apiTokenRoutes } from './tokens/api-token-routes.ts';
import { createApiTokenStore } from './tokens/api-token-store.ts';
import { ownAccountRoutes } from './users/own-account-routes.ts';
import { createPasswordHasher, type PasswordHasher } from './users/password.ts';
import { createPreferencesStore } from './users/preferences-store.ts';
import type { User } from './users/user.ts';
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
  /** The public address of the second API. */
  publicUrl: string;
  /** Null: no e-mail; admins get password links to pass on. */
  mail?: MailServer | null;
  /** How e-mails are answered; null: they are not. */
  answers?: AnswerSettings | null;
  /** Notifications of a company that are sent by e-mail at once on a day, 2,000. */
  mailsPerDay?: number;
  /** How long a process has an e-mail that it works on, unless it extends that; 2 minutes. */
  mailLeaseMs?: number;
  /** Without keys there is no single sign-on. */
  sso?: { keys: NamedKey[]; allowNetworks: readonly string[]; resolve?: Resolve; dnsServers?: readonly string[] };
  now?: () => Date;
  passwords?: PasswordHasher;
  /** Aborted once the process is to stop. */
  draining?: AbortSignal;
  streams?: { limits: { user: number; total: number }; heartbeatMs: number };
};

/** Wires the service; the caller creates the indexes, starts relay and subscriptions, and listens. */
export function createApp({ connection, broker, logger, verifyToken, now = () => new Date(), ...settings }: Deps) {
  const relay = createRelay({ broker, logger, now });
  const idempotencyKeys = createIdempotencyKeys({ connection, logger });
  const deps = {
    ...createSso({ connection, logger, now, ...settings }),
    auditLog: createAuditLogStore({ connection }),
    companies: createCompanyStore({ connection, relay }),
    users: createUserStore({ connection, relay }),
    sessions: createSessionStore({ connection, keys: settings.sessionKeys }),
    apiTokens: createApiTokenStore({ connection }),
    agendaFeeds: createAgendaFeedStore({ connection }),
    preferences: createPreferencesStore({ connection }),
    notifications: createNotificationStore({ connection }),
    savedFilters: createSavedFilterStore({ connection }),
    passwordLinks: createPasswordLinkStore({ connection }),
    ...createMailStores({ connection, ...settings }),
    throttle: createLoginThrottleStore({ connection }),
    devices: createKnownDevices({ keys: settings.sessionKeys }),
    passwords: settings.passwords ?? createPasswordHasher(),
    transaction: <T>(work: (session: ClientSession) => Promise<T>) => connection.transaction(work),
    platformAdminTokens: settings.platformAdminTokens,
    secureCookie: settings.secureCookie,
    publicUrl: settings.publicUrl,
    broker,
    logger,
    now,
  };
  const streams = createStreams(connection, deps, settings);
  const { answers = null, mail: server, mailsPerDay = 2_000, mailLeaseMs: leaseMs } = settings;
  const mailWorker = server ? createMail({ ...deps, server, answers, mailsPerDay, leaseMs }) : null;
  const routes = [
    ...sessionRoutes(deps),
    ...apiTokenRoutes(deps),
    ...companyRoutes(deps),
    ...userRoutes(deps),
    ...ownAccountRoutes(deps),
    ...savedFilterRoutes(deps),
    ...notificationRoutes({ ...deps, streams }),
    ...companyUserRoutes({ ...deps, sendInvitation: mailWorker?.invite ?? null }),
    ...passwordRoutes(deps),
    ...mailRoutes({ ...deps, mailWorker, secret: answers?.inboundSecret ?? null }),
    ...erasureRoutes(deps),
    ...ssoSettingsRoutes(deps),
    ...domainRoutes(deps),
    ...ssoSignInRoutes(deps),
    ...auditRoutes(deps),
    ...credentialRoutes(deps),
  ];
  const restore = {
    service: 'identity',
    records: createRestoreRecords(connection),
    broker,
    logger,
    now,
    participant: {
      tasks: { 'publish erasures': (_: unknown, after: string | null) => publishErasures(deps, after) },
      existing: {
        companies: existingIn(connection.collection<{ _id: string }>('companies')),
        users: existingIn(connection.collection<{ _id: string }>('users')),
      },
    },
  };
  return {
    handler: createHttpApp({ routes, logger, verifyToken, idempotencyKeys }),
    routes,
    relay,
    mailWorker,
    streams,
    /** Starts to consume events. */
    async subscribe() {
      const exporting = exportSubscription({ service: 'identity', sources: exportSources(deps), routes, broker, now });
      for (const consumer of [...subscriptions(deps), restoreSubscription(restore), exporting])
        await broker.subscribe(consumer);
    },
  };
}

type MailRouteDeps = Parameters<typeof passwordResetRoutes>[0] &
  Parameters<typeof unsubscribeRoutes>[0] &
  Parameters<typeof inboundRoutes>[0];

function mailRoutes(deps: MailRouteDeps) {
  return [...passwordResetRoutes(deps), ...unsubscribeRoutes(deps), ...inboundRoutes(deps)];
}

type MailStoreDeps = Pick<Deps, 'connection' | 'sessionKeys' | 'publicUrl' | 'answers'>;

function createMailStores({ connection, sessionKeys: keys, publicUrl, answers }: MailStoreDeps) {
  const addresses = createReplyAddresses({ keys, domain: answers?.domain ?? 'invalid' });
  return {
    addresses,
    mails: createAccountMailStore({ connection }),
    inboundMails: createInboundMailStore({ connection, addresses }),
    mailboxes: createMailboxStore({ connection }),
    notificationMails: createNotificationMailStore({ connection }),
    unsubscribe: createUnsubscribeLinks({ keys, publicUrl }),
  };
}

type StreamDeps = Pick<
  ConstructorParameters<typeof NotificationStreams>[0],
  'notifications' | 'sessions' | 'users' | 'companies' | 'logger' | 'now'
>;

function createStreams(
  connection: Connection,
  deps: StreamDeps,
  { draining, streams }: Pick<Deps, 'draining' | 'streams'>,
) {
  return new NotificationStreams({ watch: notificationChanges({ connection }), ...deps, draining, ...streams });
}

type SsoDeps = Pick<Deps, 'connection' | 'logger' | 'sso' | 'publicUrl'> & { now: () => Date };

function createSso({ connection, logger, now, sso, publicUrl }: SsoDeps) {
  const { keys = [], allowNetworks = [], resolve = createResolve(), dnsServers = [] } = sso ?? {};
  const domainProofs = createDomainProofStore({ connection });
  const ssoSettings = createSsoSettingsStore({ connection });
  const policy = createAddressPolicy(allowNetworks);
  const callbackUrlOf = (companyId: string) => `${publicUrl.replace(/\/$/, '')}/auth/sso/callback/${companyId}`;
  return {
    ssoSettings,
    domainProofs,
    domains: createDomainProver({ domainProofs, lookUpTxt: createTxtLookup(dnsServers), logger, now }),
    policy,
    callbackUrlOf,
    flows: createSsoFlowStore({ connection }),
    provider: createProviderClient({ callbackUrlOf, policy, resolve }),
    secretBox: keys.length > 0 ? createSecretBox(keys) : null,
    allowsPassword: async (user: User) => allowsPassword(await ssoSettings.find(user.company_id), user),
  };
}
