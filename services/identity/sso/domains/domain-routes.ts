import { auditSource, byId, named, type Route, route } from '@app/http';
import Joi from 'joi';
import { auditEntry } from '../../audit/audit-entry.ts';
import { type AuditedWriteDeps, auditedWrite } from '../../audit/audited-write.ts';
import { existingCompany } from '../../companies/company-routes.ts';
import type { CompanyStore } from '../../companies/company-store.ts';
import { platformRoute } from '../../page-schemas.ts';
import { domainSchema } from '../sso-settings-routes.ts';
import type { DomainProofStore } from './domain-proof-store.ts';

type Deps = AuditedWriteDeps & { companies: CompanyStore; domainProofs: DomainProofStore; now: () => Date };

type Granted = { granted: string[] };
const granted = Joi.array().items(domainSchema).unique().max(50);

/** The e-mail domains that the operator of the platform grants to companies that cannot prove them by DNS. */
export function domainRoutes({ companies, domainProofs, now, ...deps }: Deps): Route[] {
  const base = {
    ...platformRoute,
    path: '/admin/companies/:id/domains',
    errors: ['404 company_not_found'],
    params: byId,
    load: ({ params }: { params: { id: string } }) => existingCompany(companies, params.id),
    reply: { status: 200, schema: named('GrantedDomains', { granted }) },
  } as const;
  const grantedTo = async (companyId: string) =>
    (await domainProofs.of(companyId)).filter((proof) => proof.granted).map(({ domain }) => domain);
  return [
    route({
      ...base,
      method: 'get',
      summary: 'Read the e-mail domains granted to a company',
      handle: async ({ params }) => ({ granted: await grantedTo(params.id) }),
    }),
    route({
      ...base,
      method: 'put',
      summary: 'Grant e-mail domains to a company',
      description:
        'Its single sign-on then works for these domains without a DNS record. The list replaces the one before.',
      body: Joi.object<Granted>({ granted: granted.required() }),
      async handle({ params, body, resource: { id: companyId, name }, principal, req }) {
        const target = { kind: 'company', id: companyId, name };
        const changes = [{ field: 'granted_domains', before: await grantedTo(companyId), after: body.granted }];
        const source = auditSource({ principal, req });
        await auditedWrite(deps, null, async (within) => {
          await domainProofs.grant(params.id, body.granted, within);
          const entry = auditEntry({ companyId, action: 'company.changed', ...source, target, changes }, now());
          return { result: null, entries: [entry] };
        });
        return { granted: await grantedTo(companyId) };
      },
    }),
  ];
}
