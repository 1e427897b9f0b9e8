import type { CompanySnapshot, ContractorSnapshot, LocationSnapshot } from '@app/contracts';
import { nameKey } from '@app/matching';
import { type Connection, type mongo, Schema } from 'mongoose';
import { createQuestions, type Question } from '../invoices/questions-store.ts';
import { keepNewer } from './versioned-store.ts';

/** Copies of contractors, locations and companies, by version. Companies never change. */
export type ReferenceCopies = {
  keepContractor(contractor: ContractorSnapshot): Promise<void>;
  keepLocation(location: LocationSnapshot): Promise<void>;
  keepCompany(company: CompanySnapshot): Promise<void>;
  /** A client's contractors of that SIREN. */
  contractorsOf(clientId: string, siren: string): Promise<ContractorSnapshot[]>;
  /** A client's contractors of that name (`nameKey`). */
  contractorsNamed(clientId: string, name: string): Promise<ContractorSnapshot[]>;
  /** Those of the client's locations that are not deleted. */
  locations(clientId: string, ids: string[]): Promise<LocationSnapshot[]>;
  company(id: string): Promise<CompanySnapshot | null>;
};

type Record<T> = {
  _id: string;
  version: number;
  client_id: string;
  siren: string | null;
  name?: string | null;
  facts: T;
};

const mostContractors = 50;
/** Contractors or locations of what is asked for at once. */
const mostTogether = 2_000;
const companiesRemembered = 10_000;
const required = { type: String, required: true } as const;
const keptIn = (collection: string) => new Schema({ _id: required }, { versionKey: false, collection, strict: false });

const contractorSchema = keptIn('contractor_copies');
contractorSchema.index({ client_id: 1, siren: 1 }, { name: 'siren', partialFilterExpression: { siren: { $gt: '' } } });
contractorSchema.index({ client_id: 1, name: 1 }, { name: 'name', partialFilterExpression: { name: { $gt: '' } } });

export function createReferenceCopies({ connection }: { connection: Connection }): ReferenceCopies {
  const collectionOf = <T>(name: string, schema: Schema) =>
    connection.model(name, schema).collection as unknown as mongo.Collection<Record<T>>;
  const contractors = collectionOf<ContractorSnapshot>('ContractorCopy', contractorSchema);
  const locations = collectionOf<LocationSnapshot>('LocationCopy', keptIn('location_copies'));
  const companies = collectionOf<CompanySnapshot>('CompanyCopy', keptIn('company_copies'));
  const remembered = new Map<string, CompanySnapshot>();

  const ofSiren = createQuestions<Question, Record<ContractorSnapshot>>({
    valuesOf: ({ siren }) => (siren === null ? [] : [siren]),
    find: ({ clientId, values }, limit) =>
      contractors
        .find({ client_id: clientId, siren: { $in: values } }, { hint: 'siren' })
        .limit(limit)
        .toArray(),
    limit: mostContractors,
    limitTogether: mostTogether,
  });
  const ofName = createQuestions<Question, Record<ContractorSnapshot>>({
    valuesOf: ({ name }) => (name ? [name] : []),
    find: ({ clientId, values }, limit) =>
      contractors
        .find({ client_id: clientId, name: { $in: values, $gt: '' } }, { hint: 'name' })
        .limit(limit)
        .toArray(),
    limit: mostContractors,
    limitTogether: mostTogether,
  });
  const byId = createQuestions<Question, Record<LocationSnapshot>>({
    valuesOf: ({ _id }) => [_id],
    find: ({ clientId, values }, limit) =>
      locations
        .find({ _id: { $in: values }, client_id: clientId })
        .limit(limit)
        .toArray(),
    limit: mostTogether,
    limitTogether: mostTogether,
  });

  return {
    async keepContractor(facts) {
      const { id, version, client_id } = facts;
      await keepNewer(contractors, {
        id,
        version,
        set: { client_id, siren: sirenOf(facts), name: nameKey(facts.name), facts },
      });
    },
    async keepLocation(facts) {
      const { id, version, client_id } = facts;
      await keepNewer(locations, { id, version, set: { client_id, facts } });
    },
    async keepCompany(facts) {
      await companies.updateOne({ _id: facts.id }, { $set: { facts } }, { upsert: true });
      remembered.delete(facts.id);
    },
    async contractorsOf(clientId, siren) {
      const found = await ofSiren({ clientId, values: [siren] });
      return found.map(({ facts }) => facts);
    },
    async contractorsNamed(clientId, name) {
      const found = await ofName({ clientId, values: [name] });
      return found.map(({ facts }) => facts);
    },
    async locations(clientId, ids) {
      if (ids.length === 0) return [];
      const found = await byId({ clientId, values: ids });
      return found.map(({ facts }) => facts).filter(({ deleted }) => !deleted);
    },
    async company(id) {
      const known = remembered.get(id);
      if (known) return known;
      const found = await companies.findOne({ _id: id });
      if (!found) return null;
      // Oldest first out: a Map keeps the order of insertion.
      if (remembered.size >= companiesRemembered) remembered.delete(remembered.keys().next().value as string);
      remembered.set(id, found.facts);
      return found.facts;
    },
  };
}

/** A contractor without a SIREN of its own has that of its SIRET. */
export function sirenOf({ siren, siret }: ContractorSnapshot): string | null {
  return siren ?? siret?.replace(/\D/g, '').slice(0, 9) ?? null;
}
