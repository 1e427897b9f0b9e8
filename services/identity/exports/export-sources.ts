import { type ExportSources, rowsOf, singleRow } from '@app/service/export';
import { newestFirst } from '../audit/audit-list.ts';
import { type AuditLogStore, toEntry } from '../audit/audit-log-store.ts';
import { companyResponse } from '../companies/company.ts';
import type { CompanyStore } from '../companies/company-store.ts';
import { notificationResponse } from '../notifications/notification.ts';
import type { NotificationStore } from '../notifications/notification-store.ts';
import type { DomainProofStore } from '../sso/domains/domain-proof-store.ts';
import type { SsoSettingsStore } from '../sso/sso-settings-store.ts';
import type { ApiTokenStore } from '../tokens/api-token-store.ts';
import { userResponse } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

type Deps = {
  companies: Pick<CompanyStore, 'find'>;
  users: Pick<UserStore, 'list'>;
  apiTokens: Pick<ApiTokenStore, 'list'>;
  ssoSettings: Pick<SsoSettingsStore, 'find'>;
  domainProofs: Pick<DomainProofStore, 'of'>;
  auditLog: Pick<AuditLogStore, 'read'>;
  notifications: Pick<NotificationStore, 'pageOf'>;
};

/** What identity has of a company, without what lets anybody in: no hash of a password or token, no secret of a provider. */
export function exportSources({
  companies,
  users,
  apiTokens,
  ssoSettings,
  domainProofs,
  auditLog,
  notifications,
}: Deps): ExportSources {
  return {
    company: (company, after) =>
      singleRow(after, async () => {
        const found = await companies.find(company.id);
        return found && companyResponse(found);
      }),
    users: (company, after) =>
      rowsOf({
        after,
        read: (position, limit) => users.list(pageAfter(position, limit), company.id),
        rowOf: (user) => ({ position: user.id, value: userResponse(user) }),
      }),
    api_tokens: (company, after) =>
      rowsOf({
        after,
        read: (position, limit) => apiTokens.list(company.id, pageAfter(position, limit)),
        rowOf: (token) => ({ position: token.id, value: token }),
      }),
    single_sign_on: (company, after) =>
      singleRow(after, async () => {
        const { sealed_secret: _, version: _version, ...settings } = (await ssoSettings.find(company.id)) ?? {};
        return 'issuer' in settings ? { ...settings, domains: await domainProofs.of(company.id) } : null;
      }),
    notifications: (company, after) =>
      rowsOf({
        after,
        read: (position, limit) => notifications.pageOf(company.id, pageAfter(position, limit)),
        rowOf: ({ _id: position, user_id, actor_id: actor = null, ...found }) => ({
          position,
          value: { ...notificationResponse({ _id: position, user_id, ...found }, []), user_id, actor },
        }),
      }),
    audit_log: (company, after) =>
      rowsOf({
        after,
        read: (position, limit) =>
          auditLog.read.rows(company.id, { given: {}, sort: newestFirst }, { after: position, limit }),
        rowOf: ({ position, document }) => ({ position, value: toEntry(document) }),
      }),
  };
}

function pageAfter(position: string | null, limit: number) {
  return { limit, ...(position === null ? {} : { cursor: position }) };
}
