import {
  type CompanyKind,
  type CompanySnapshot,
  type CompanyState,
  companyChanged,
  companyCreated,
  type NewEvent,
} from '@app/contracts';
import { newId, parseSiret, searchWords } from '@app/kernel';

/** A company. A closed one is refused everywhere until it is opened again; nothing of it is deleted. */
export type Company = CompanyState;

export type NewCompany = { name: string; kind: CompanyKind; siret?: string | null };

type Changed = { company: Company; events: NewEvent[] };

/** @throws AppError invalid `siret_invalid` */
export function createCompany({ name, kind, siret }: NewCompany, at: Date): Changed {
  const company = { id: newId(at), name, kind, ...numberOf(siret), closed_at: null, version: 0 };
  return { company, events: [companyCreated({ company: companySnapshot(company) }, at, company.id)] };
}

export type CompanyChange = Partial<Pick<NewCompany, 'name' | 'siret'>>;

/**
 * Applies a change; null if it changes nothing.
 * @throws AppError invalid `siret_invalid`
 */
export function changeCompany(
  company: Company,
  { name = company.name, siret }: CompanyChange,
  at: Date,
): Changed | null {
  const { siret: known, siren } = company;
  const number = siret === undefined ? { siret: known, siren } : numberOf(siret);
  if (name === company.name && number.siret === known) return null;
  return changed({ ...company, name, ...number }, at);
}

/** Closes a company; null if it is closed already. */
export function closeCompany(company: Company, at: Date): Changed | null {
  return company.closed_at === null ? changed({ ...company, closed_at: at.toISOString() }, at) : null;
}

/** Opens a company again; null if it is open already. */
export function reopenCompany(company: Company, at: Date): Changed | null {
  return company.closed_at === null ? null : changed({ ...company, closed_at: null }, at);
}

function numberOf(siret: string | null | undefined) {
  return siret ? parseSiret(siret) : { siret: null, siren: null };
}

function changed(company: Company, at: Date): Changed {
  const next = { ...company, version: company.version + 1 };
  return { company: next, events: [companyChanged({ company: next }, at, next.id)] };
}

/** The search words of a company: name and SIRET, which begins with the SIREN. */
export function wordsOfCompany({ name, siret }: Pick<Company, 'name' | 'siret'>): string[] {
  return searchWords(siret, name);
}

/** The company as other services and its users see it. */
export function companySnapshot({ id, name, kind, siret, siren }: Company): CompanySnapshot {
  return { id, name, kind, siret, siren };
}

/** The company as the platform's administration sees it. */
export function companyResponse(company: Company) {
  return { ...companySnapshot(company), closed_at: company.closed_at };
}
