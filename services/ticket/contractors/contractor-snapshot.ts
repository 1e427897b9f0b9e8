import { type ContractorSnapshot, contractorChanged, type NewEvent } from '@app/contracts';
import type { Contractor } from './contractor.ts';

/** A directory entry at one of its versions. */
export type Versioned = { contractor: Contractor; version: number };

/** An entry as matching needs it. */
export function contractorSnapshot({ contractor, version }: Versioned): ContractorSnapshot {
  const { _id, client_id, name, company_id, siret, siren } = contractor;
  return { id: _id, version, client_id, name, company_id, siret, siren };
}

/** What keepers of copies are told of a change, or of a new entry (`before` null): nothing where its facts stayed. */
export function contractorSnapshotEvents(before: Contractor | null, after: Versioned, at: Date): NewEvent[] {
  const facts = contractorSnapshot(after);
  if (before) {
    const former = contractorSnapshot({ contractor: before, version: after.version });
    if (JSON.stringify(former) === JSON.stringify(facts)) return [];
  }
  return [contractorChanged({ contractor: facts }, at, facts.id)];
}
