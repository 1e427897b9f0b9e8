import { type CompanyKind, type CompanySnapshot, companyCreated, type NewEvent } from '@app/contracts';
import { newId, parseSiret } from '@app/kernel';

export type Company = CompanySnapshot;

export type NewCompany = { name: string; kind: CompanyKind; siret?: string | null };

/** @throws AppError invalid `siret_invalid` */
export function createCompany({ name, kind, siret }: NewCompany, at: Date): { company: Company; events: NewEvent[] } {
  const number = siret ? parseSiret(siret) : { siret: null, siren: null };
  const company = { id: newId(at), name, kind, ...number };
  return { company, events: [companyCreated({ company }, at, company.id)] };
}
