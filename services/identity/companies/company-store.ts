import type { NewEvent } from '@app/contracts';
import { type Within, writeOnceIn } from '@app/idempotency';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { type Connection, Schema } from 'mongoose';
import type { Page } from '../paging.ts';
import type { Company } from './company.ts';

type CompanyDocument = Omit<Company, 'id'> & { _id: string; admin_changes: number } & WithOutbox;

export type CompanyStore = {
  /** Saves the company and its events in one write. @returns the company as saved, by an earlier attempt at this request or now */
  add(created: { company: Company; events: NewEvent[] }): Promise<Company>;
  find(id: string): Promise<Company | null>;
  /**
   * To be called in a transaction that takes an admin from the company: of two at once, the second begins anew and sees what the first
   * has done.
   */
  lockAdmins(id: string, within: Within): Promise<void>;
  /** Those after the cursor, ascending by id, at most `limit`. */
  list(page: Page): Promise<Company[]>;
};

const companySchema = new Schema<CompanyDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    kind: { type: String, required: true },
    siret: { type: String, default: null },
    siren: { type: String, default: null },
    admin_changes: { type: Number },
  },
  { versionKey: false, collection: 'companies' },
);
addOutbox(companySchema);

export function createCompanyStore({ connection, relay }: { connection: Connection; relay: Relay }): CompanyStore {
  const model = connection.model<CompanyDocument>('Company', companySchema);
  relay.watch(model);
  return {
    async add(created) {
      const { company, outbox } = await writeOnceIn(connection, async (within) => {
        const outbox = toCloudEvents('identity', created.events);
        const { id, ...fields } = created.company;
        await model.create([{ _id: id, ...fields, outbox }], within);
        return { company: created.company, outbox };
      });
      relay.committed(model, company.id, outbox);
      return company;
    },
    async find(id) {
      const found = await model.findById(id).lean<CompanyDocument>();
      return found && company(found);
    },
    async lockAdmins(id, within) {
      await model.updateOne({ _id: id }, { $inc: { admin_changes: 1 } }, within);
    },
    async list({ limit, cursor }) {
      const found = model.find(cursor === undefined ? {} : { _id: { $gt: cursor } }).sort({ _id: 1 });
      return (await found.limit(limit).lean<CompanyDocument[]>()).map(company);
    },
  };
}

function company({ _id, name, kind, siret, siren }: CompanyDocument): Company {
  return { id: _id, name, kind, siret, siren };
}
