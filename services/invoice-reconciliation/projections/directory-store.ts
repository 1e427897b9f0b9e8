import type { CompanySnapshot, ContractorSnapshot, LocationSnapshot } from '@app/contracts';
import { locationKeys, nameKey } from '@app/matching';
import { documentSchema, modelOf, replaceUnlessNewer } from '@app/runtime';
import { LRUCache } from 'lru-cache';
import type { Connection, Model } from 'mongoose';

/** Projections of contractors, locations and companies. The newest version is kept. */
export type DirectoryStore = ReturnType<typeof createDirectoryStore>;

type ContractorRecord = {
  _id: string;
  version: number;
  client_id: string;
  siren: string | null;
  name: string | null;
  snapshot: ContractorSnapshot;
};
type LocationRecord = { _id: string; version: number; client_id: string; keys: string[]; snapshot: LocationSnapshot };
type CompanyRecord = { _id: string; version: number; snapshot: CompanySnapshot };

const maxContractors = 50;
const maxNamedLocations = 50;
const maxCachedCompanies = 1_000;
const cachedForMs = 60_000;

const contractorSchema = documentSchema<ContractorRecord>('contractor_projections');
contractorSchema.index({ client_id: 1, siren: 1 }, { name: 'siren', partialFilterExpression: { siren: { $gt: '' } } });
contractorSchema.index({ client_id: 1, name: 1 }, { name: 'name', partialFilterExpression: { name: { $gt: '' } } });
const locationSchema = documentSchema<LocationRecord>('location_projections');
locationSchema.index({ client_id: 1, keys: 1 }, { name: 'keys' });
const companySchema = documentSchema<CompanyRecord>('company_projections');

export function createDirectoryStore({ connection }: { connection: Connection }) {
  const contractors = modelOf(connection, 'ContractorProjection', contractorSchema);
  const locations = modelOf(connection, 'LocationProjection', locationSchema);
  const companies = modelOf(connection, 'CompanyProjection', companySchema);
  const cachedCompanies = new LRUCache<string, CompanySnapshot>({ max: maxCachedCompanies, ttl: cachedForMs });

  return {
    async upsertContractor(contractor: ContractorSnapshot): Promise<void> {
      const { id, version, client_id, name } = contractor;
      const record = { version, client_id, siren: sirenOf(contractor), name: nameKey(name), snapshot: contractor };
      await replaceUnlessNewer(contractors, id, record);
    },
    async upsertLocation(location: LocationSnapshot): Promise<void> {
      const { id, version, client_id } = location;
      const record = { version, client_id, keys: locationKeys(location), snapshot: location };
      await replaceUnlessNewer(locations, id, record);
    },
    /** A snapshot without a version is that of a new company. */
    async upsertCompany({
      id,
      name,
      kind,
      siret,
      siren,
      version = 0,
    }: CompanySnapshot & { version?: number }): Promise<void> {
      const record = { version, snapshot: { id, name, kind, siret, siren } };
      await replaceUnlessNewer(companies, id, record);
      cachedCompanies.delete(id);
    },
    /**
     * The ticket service has lost it by a restore: nothing finds it any more, at that version.
     * @returns it as it was; null if a newer version is stored
     */
    async markContractorLost(_id: string, version: number): Promise<ContractorSnapshot | null> {
      const update = { $set: { version, siren: null, name: null } };
      return (await contractors.findOneAndUpdate({ _id, version: { $lt: version } }, update).lean())?.snapshot ?? null;
    },
    async markLocationLost(_id: string, version: number): Promise<void> {
      const update = { $set: { version, 'snapshot.deleted': true } } as const;
      await locations.updateOne({ _id, version: { $lt: version } }, update);
    },
    /** The client's contractors with this SIREN. */
    async contractorsBySiren(client_id: string, siren: string): Promise<ContractorSnapshot[]> {
      const found = contractors.find({ client_id, siren }).hint('siren').limit(maxContractors);
      return (await found.lean()).map((record) => record.snapshot);
    },
    /** The client's contractors with this name (`nameKey`). */
    async contractorsByName(client_id: string, name: string): Promise<ContractorSnapshot[]> {
      const found = contractors.find({ client_id, name }).hint('name').limit(maxContractors);
      return (await found.lean()).map((record) => record.snapshot);
    },
    /** The client's contractors with these ids. */
    async contractors(client_id: string, ids: string[]): Promise<ContractorSnapshot[]> {
      if (ids.length === 0) return [];
      return (await contractors.find({ _id: { $in: ids }, client_id }).lean()).map((record) => record.snapshot);
    },
    /** The client's locations with these ids that are not deleted. */
    async locations(client_id: string, ids: string[]): Promise<LocationSnapshot[]> {
      if (ids.length === 0) return [];
      const found = await locations.find({ _id: { $in: ids }, client_id }).lean();
      return found.map((record) => record.snapshot).filter(({ deleted }) => !deleted);
    },
    /** The client's locations with one of these names (`locationKeys`) that are not deleted, at most 50. */
    async locationsNamed(client_id: string, keys: string[]): Promise<LocationSnapshot[]> {
      const named = { client_id, keys: { $in: keys }, 'snapshot.deleted': false };
      const found = locations.find(named).hint('keys').limit(maxNamedLocations);
      return (await found.lean()).map((record) => record.snapshot);
    },
    /** These places with all above them, as far as they are known. */
    withAbove: (client_id: string, ids: readonly string[]): Promise<string[]> => withAbove(locations, client_id, ids),
    /** Cached: it may be out of date by a minute. */
    async company(id: string): Promise<CompanySnapshot | null> {
      const company = cachedCompanies.get(id) ?? (await companies.findById(id).lean())?.snapshot;
      if (company) cachedCompanies.set(id, company);
      return company ?? null;
    },
  };
}

async function withAbove(locations: Model<LocationRecord>, client_id: string, ids: readonly string[]) {
  const all = new Set(ids);
  for (let level = [...ids]; level.length > 0; ) {
    const found = await locations.find({ _id: { $in: level }, client_id }).lean();
    level = found.flatMap(({ snapshot: { parent_id } }) => (parent_id && !all.has(parent_id) ? [parent_id] : []));
    for (const id of level) all.add(id);
  }
  return [...all];
}

/** A contractor without a SIREN of its own has that of its SIRET. */
export function sirenOf({ siren, siret }: ContractorSnapshot): string | null {
  return siren ?? siret?.replace(/\D/g, '').slice(0, 9) ?? null;
}
