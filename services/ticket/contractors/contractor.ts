import {
  type CompanySnapshot,
  type ContractorSnapshot,
  contractorChanged,
  contractorLinked,
  type NewEvent,
} from '@app/contracts';
import { AppError, nameOrder, searchWords } from '@app/kernel';

type ContractorType = 'external' | 'internal';
type ContractorField = { field_id: string; value: string };

/** An entry of a client's directory. Without `company_id` it has no account: it can be assigned, but nobody can log in for it. */
export type Contractor = {
  _id: string;
  client_id: string;
  name: string;
  type: ContractorType;
  company_id: string | null;
  /** The company that the client has named, until that company says yes: it is not linked before. */
  requested_company_id: string | null;
  siret: string | null;
  siren: string | null;
  email: string | null;
  phone: string | null;
  fields: ContractorField[];
};

/** The fields of a request. A null `value` removes the field. */
export type ContractorInput = {
  name?: string;
  type?: ContractorType;
  company_id?: string | null;
  siret?: string | null;
  email?: string | null;
  phone?: string | null;
  fields?: { field_id: string; value: string | null }[];
};

/** What lists find and sort it by. A SIRET begins with its SIREN. */
export function listKeysOf({ name, siret, email, phone }: Contractor) {
  return { words: searchWords(name, siret, email, phone), name_order: nameOrder(name) };
}

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
    company_id: null,
    requested_company_id: company?.id ?? null,
    ...companyNumber(siret === undefined ? (company?.siret ?? null) : siret),
    email,
    phone,
    fields: mergeFields([], fields),
  };
}

/**
 * The fields sent replace the stored ones. `fields` are merged by their id, so that two systems that each store a number here
 * do not remove each other's.
 * @throws AppError conflict `contractor_company_set`
 */
export function changeContractor(
  contractor: Contractor,
  input: ContractorInput,
  company: CompanySnapshot | null,
): ContractorChange {
  const { company_id, requested_company_id } = contractor;
  const { company_id: sent = company_id ?? requested_company_id, siret, fields = [], ...rest } = input;
  if (company_id !== null && sent !== company_id) throw companySet();
  const number = siret === undefined ? (contractor.siret ?? company?.siret ?? null) : siret;
  const changed: Contractor = {
    ...contractor,
    ...rest,
    requested_company_id: company_id === null ? sent : null,
    ...companyNumber(number),
    fields: mergeFields(contractor.fields, fields),
  };
  return { contractor: changed, events: [] };
}

/**
 * The answer of the company that a client has named: yes links it, which has an event; no ends the request. A repeated yes changes
 * nothing. @throws AppError not_found `contractor_not_found` if there is no such request any more
 */
export function answerRequest(
  contractor: Contractor,
  { companyId, accept, at }: { companyId: string; accept: boolean; at: Date },
): ContractorChange {
  if (accept && contractor.company_id === companyId) return { contractor, events: [] };
  if (contractor.requested_company_id !== companyId) throw contractorNotFound();
  const answered = { ...contractor, requested_company_id: null };
  if (!accept) return { contractor: answered, events: [] };
  const { client_id, _id: contractor_id } = contractor;
  const event = contractorLinked({ client_id, contractor_id, company_id: companyId }, at, contractor_id);
  return { contractor: { ...answered, company_id: companyId }, events: [event] };
}

export function contractorNotFound(): AppError {
  return new AppError('not_found', 'contractor_not_found', 'there is no such contractor');
}

/**
 * The company that the request names and that must be loaded first; null: none. @throws AppError
 * conflict `contractor_company_set`
 */
export function companyToLink(input: ContractorInput, contractor?: Contractor): string | null {
  const { company_id = null } = input;
  if (company_id === null || company_id === contractor?.company_id) return null;
  if (company_id === contractor?.requested_company_id) return null;
  if (contractor && contractor.company_id !== null) throw companySet();
  return company_id;
}

function companySet(): AppError {
  const message = 'this contractor already has its company; make another entry for another company';
  return new AppError('conflict', 'contractor_company_set', message);
}

/** Of a SIRET as `parseSiret` returns it: its first nine digits are the SIREN. */
function companyNumber(siret: string | null): Pick<Contractor, 'siret' | 'siren'> {
  return { siret, siren: siret === null ? null : siret.slice(0, 9) };
}

function mergeFields(stored: ContractorField[], sent: { field_id: string; value: string | null }[]): ContractorField[] {
  const values = new Map(stored.map(({ field_id, value }) => [field_id, value]));
  for (const { field_id, value } of sent) {
    if (value === null) values.delete(field_id);
    else values.set(field_id, value);
  }
  return [...values].map(([field_id, value]) => ({ field_id, value }));
}

/** A directory entry at one of its versions. */
export type VersionedContractor = { contractor: Contractor; version: number };

/** The entry as other services keep it in their projections. */
export function contractorSnapshot({ contractor, version }: VersionedContractor): ContractorSnapshot {
  const { _id, client_id, name, company_id, siret, siren } = contractor;
  return { id: _id, version, client_id, name, company_id, siret, siren };
}

/** The event of a change, or of a new entry (`before` null); none if the snapshot is the same as before. */
export function contractorSnapshotEvents(before: Contractor | null, after: VersionedContractor, at: Date): NewEvent[] {
  const snapshot = contractorSnapshot(after);
  if (before) {
    const former = contractorSnapshot({ contractor: before, version: after.version });
    if (JSON.stringify(former) === JSON.stringify(snapshot)) return [];
  }
  return [contractorChanged({ contractor: snapshot }, at, snapshot.id)];
}
