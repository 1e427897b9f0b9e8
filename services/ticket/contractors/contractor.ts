import { type CompanySnapshot, contractorLinked, type NewEvent } from '@app/contracts';
import { AppError } from '@app/kernel';

export type ContractorType = 'external' | 'internal';
export type ContractorField = { field_id: string; value: string };

/** An entry of a client's directory. Without `company_id` it has no account: it can be assigned, but nobody logs in for it. */
export type Contractor = {
  _id: string;
  client_id: string;
  name: string;
  type: ContractorType;
  company_id: string | null;
  siret: string | null;
  siren: string | null;
  email: string | null;
  phone: string | null;
  fields: ContractorField[];
};

/** The fields of a request. A null `value` takes the field away. */
export type ContractorInput = {
  name?: string;
  type?: ContractorType;
  company_id?: string | null;
  siret?: string | null;
  email?: string | null;
  phone?: string | null;
  fields?: { field_id: string; value: string | null }[];
};

/** What a decision needs besides the request: the company to be linked, already known to be one of kind contractor. */
export type Linking = { company: CompanySnapshot | null; at: Date };

export type ContractorChange = { contractor: Contractor; events: NewEvent[] };

export function createContractor(
  identity: Pick<Contractor, '_id' | 'client_id'>,
  { name = '', type = 'external', siret, email = null, phone = null, fields = [] }: ContractorInput,
  company: CompanySnapshot | null,
): Contractor {
  return {
    ...identity,
    name,
    type,
    company_id: company?.id ?? null,
    ...companyNumber(siret === undefined ? (company?.siret ?? null) : siret),
    email,
    phone,
    fields: mergeFields([], fields),
  };
}

/**
 * The fields sent replace those held; `fields` are merged by their id, so that two systems that each keep their own
 * number here do not take away each other's. An entry that is given its company tells of it.
 * @throws AppError conflict `contractor_company_set`
 */
export function changeContractor(contractor: Contractor, input: ContractorInput, linking: Linking): ContractorChange {
  const { company_id: sent = contractor.company_id, siret, fields = [], ...rest } = input;
  if (contractor.company_id !== null && sent !== contractor.company_id) throw companySet();
  const linked = contractor.company_id === null && sent !== null;
  const number = siret === undefined ? (contractor.siret ?? (linked ? (linking.company?.siret ?? null) : null)) : siret;
  const changed: Contractor = {
    ...contractor,
    ...rest,
    company_id: sent,
    ...companyNumber(number),
    fields: mergeFields(contractor.fields, fields),
  };
  const event = { client_id: contractor.client_id, contractor_id: contractor._id, company_id: sent ?? '' };
  return { contractor: changed, events: linked ? [contractorLinked(event, linking.at, contractor._id)] : [] };
}

/** Whether the request names a company that must be looked up before the decision. */
export function companyToLink(input: ContractorInput, contractor?: Contractor): string | null {
  const { company_id = null } = input;
  if (company_id === null || company_id === contractor?.company_id) return null;
  if (contractor && contractor.company_id !== null) throw companySet();
  return company_id;
}

function companySet(): AppError {
  const message = 'this contractor already has its company; make another entry for another company';
  return new AppError('conflict', 'contractor_company_set', message);
}

/** A SIRET already read by `parseSiret`: the SIREN is its first nine digits. */
function companyNumber(siret: string | null): Pick<Contractor, 'siret' | 'siren'> {
  return { siret, siren: siret === null ? null : siret.slice(0, 9) };
}

function mergeFields(held: ContractorField[], sent: { field_id: string; value: string | null }[]): ContractorField[] {
  const values = new Map(held.map(({ field_id, value }) => [field_id, value]));
  for (const { field_id, value } of sent) {
    if (value === null) values.delete(field_id);
    else values.set(field_id, value);
  }
  return [...values].map(([field_id, value]) => ({ field_id, value }));
}
