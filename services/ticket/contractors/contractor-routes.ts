import type { Caller, CompanySnapshot } from '@app/contracts';
import { bearerToken, id, named, nullableString, type Route, route, sendVersion } from '@app/http';
import { listRoutes } from '@app/http/lists';
import { AppError, type FieldError, newId, parseSiret, ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import { fieldValueSchema } from '../http/answer-schemas.ts';
import { clientsOnly } from '../http/client-only-access.ts';
import { title } from '../http/joi-fields.ts';
import { fieldViews } from '../referentials/referential-response.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import {
  type Contractor,
  type ContractorInput,
  changeContractor,
  companyToLink,
  contractorNotFound,
  createContractor,
  type VersionedContractor,
} from './contractor.ts';
import { contractorList } from './contractor-list.ts';
import { type ContractorStore, contractorExists } from './contractor-store.ts';

type Deps = {
  contractors: ContractorStore;
  companies: CompanyDirectory;
  referentials: ReferentialStore;
  now?: () => Date;
};

const siret = Joi.string()
  .max(40)
  .custom((text: string, helpers) => {
    try {
      return parseSiret(text).siret;
    } catch (error) {
      return helpers.message({ custom: `{{#label}}: ${error instanceof AppError ? error.message : 'not a SIRET'}` });
    }
  });

const value = Joi.string().allow('').max(10_000).required();
const fields = (fieldValue: Joi.Schema) =>
  Joi.array()
    .max(100)
    .unique('field_id')
    .items(Joi.object({ field_id: id.required(), value: fieldValue }));

const body = {
  name: title,
  type: Joi.valid('external', 'internal'),
  company_id: id
    .allow(null)
    .description(
      'its account, a company of kind contractor, which is asked for its yes (`requested_company_id`); set once',
    ),
  siret: siret.allow(null).description('14 digits, spaces allowed; taken from the company where it has one'),
  email: Joi.string().email({ tlds: false }).max(254).allow(null),
  phone: Joi.string().max(50).allow(null),
};
const creation = Joi.object<ContractorInput>({ ...body, name: title.required(), fields: fields(value) });
const change = Joi.object<ContractorInput>({ ...body, fields: fields(value.allow(null)) }).min(1);

const shown = named('Contractor', {
  _id: Joi.string(),
  name: Joi.string(),
  type: Joi.string().valid('external', 'internal'),
  company_id: nullableString.description('its account, once that company has said yes'),
  requested_company_id: nullableString.description('the company that was named, and has not said yes yet'),
  siret: nullableString,
  siren: nullableString,
  email: nullableString,
  phone: nullableString,
  fields: Joi.array().items(fieldValueSchema),
});

const list = { host: 'ticket', tag: 'Contractors', access: clientsOnly, path: '/api/v3.0/contractors' } as const;

/** The client's directory of contractors. */
export function contractorRoutes(deps: Deps): Route[] {
  return [...directoryRoutes(deps), ...entryRoutes(deps)];
}

function directoryRoutes({ contractors, companies, referentials, now = () => new Date() }: Deps): Route[] {
  return [
    ...listRoutes<Contractor>({
      base: { ...list, access: { ...clientsOnly, orPermission: 'accounting' } },
      summary: ['List contractors', 'Download the directory for a spreadsheet'],
      description: '`q` finds them by name, SIRET, e-mail address and phone number.',
      list: contractorList,
      read: contractors.read,
      byDefault: { by: 'created', order: 'asc' },
      show: (found, { caller }) => views(referentials, caller.companyId, found),
      item: shown,
      names: { items: 'contractors', cursor: 'cursor', file: 'contractors' },
    }),
    route<object, object, ContractorInput>({
      ...list,
      method: 'post',
      summary: 'Create a contractor',
      errors: ['409 contractor_exists'],
      body: creation,
      reply: { status: 201, schema: shown },
      async handle({ caller, body: input, write, req }) {
        const company = await checkReferences(
          { contractors, companies, referentials, caller, token: bearerToken(req) },
          input,
        );
        const contractor = createContractor({ _id: newId(now()), client_id: caller.companyId }, input, company);
        const added = await contractors.add(contractor, write);
        return (await views(referentials, caller.companyId, [added]))[0];
      },
    }),
  ];
}

function entryRoutes({ contractors, companies, referentials }: Deps): Route[] {
  const entry = {
    ...list,
    path: `${list.path}/:contractor_id`,
    params: Joi.object<{ contractor_id: string }>({ contractor_id: id.required() }),
    async load({ params, caller }: { params: { contractor_id: string }; caller: Caller }) {
      const contractor = await contractors.find(caller.companyId, params.contractor_id);
      if (!contractor) throw contractorNotFound();
      return contractor;
    },
    versioned: true,
    reply: { status: 200, schema: shown },
  } as const;
  return [
    route<{ contractor_id: string }, object, object, VersionedContractor>({
      ...entry,
      method: 'get',
      summary: 'Read a contractor',
      errors: ['404 contractor_not_found'],
      async handle({ caller, resource: found, res }) {
        sendVersion(res, found.version);
        return (await views(referentials, caller.companyId, [found.contractor]))[0];
      },
    }),
    route<{ contractor_id: string }, object, ContractorInput, VersionedContractor>({
      ...entry,
      method: 'patch',
      summary: 'Change a contractor: the fields sent, at least one',
      description: '`fields` are merged by `field_id`; a null `value` takes one away.',
      body: change,
      errors: [
        '404 contractor_not_found',
        '409 contractor_exists',
        '409 contractor_company_set',
        '503 contractor_busy',
      ],
      async handle({ caller, resource: { contractor: found }, body: input, precondition, req, res }) {
        const company = await checkReferences(
          { contractors, companies, referentials, caller, token: bearerToken(req) },
          input,
          found,
        );
        const changed = await contractors.change(caller.companyId, found._id, (current, version) => {
          precondition?.(version);
          return changeContractor(current, input, company);
        });
        sendVersion(res, changed.version);
        return (await views(referentials, caller.companyId, [changed.contractor]))[0];
      },
    }),
  ];
}

type Check = {
  contractors: ContractorStore;
  companies: CompanyDirectory;
  referentials: ReferentialStore;
  caller: Caller;
  token: string;
};

/**
 * Checks what the request refers to.
 * @returns the company that it names anew, or null
 * @throws ValidationError naming `company_id` and `fields.0.field_id`; AppError conflict `contractor_company_set`,
 * `contractor_exists`
 */
async function checkReferences(
  deps: Check,
  input: ContractorInput,
  current?: Contractor,
): Promise<CompanySnapshot | null> {
  const companyId = companyToLink(input, current);
  const ownFields = new Set(current?.fields.map(({ field_id }) => field_id));
  const [company, unknownFields] = await Promise.all([
    companyId === null ? null : deps.companies.company(companyId, deps.token),
    deps.referentials.faults(
      deps.caller.companyId,
      { field_ids: input.fields?.map(({ field_id }) => field_id) },
      'contractor',
    ),
  ]);
  const errors: FieldError[] = unknownFields.filter(({ path }) => !isOwnField(path, input, ownFields));
  if (companyId !== null && company?.kind !== 'contractor') {
    errors.unshift({ path: 'company_id', message: 'company_id is no company of kind contractor' });
  }
  if (errors.length > 0) throw new ValidationError(errors);
  if (companyId !== null && (await deps.contractors.forCompany(companyId, deps.caller.companyId)))
    throw contractorExists();
  return company;
}

/** A deleted custom field may still be changed or removed on an entry that has it. */
function isOwnField(path: string, { fields: sent = [] }: ContractorInput, ownFields: Set<string>): boolean {
  return ownFields.has(sent[Number(path.split('.')[1])]?.field_id ?? '');
}

/** As lists read them. */
type Listed = Contractor & { name_order?: string | null };

async function views(referentials: ReferentialStore, clientId: string, contractors: Listed[]) {
  const fieldIds = contractors.flatMap((contractor) => contractor.fields.map(({ field_id }) => field_id));
  const resolved = await referentials.resolve(clientId, { field_ids: fieldIds });
  return contractors.map(({ client_id: _, name_order: __, fields: values, ...contractor }) => ({
    ...contractor,
    fields: fieldViews(values, resolved.fields),
  }));
}
