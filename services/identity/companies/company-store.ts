import type { NewEvent } from '@app/contracts';
import type { Page } from '@app/kernel';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { findByWords, type WithWords } from '@app/runtime';
import { type ProtectedWrite, transactionOnce, type Within } from '@app/runtime/idempotency';
import { type Connection, type Model, Schema } from 'mongoose';
import { type Company, wordsOfCompany } from './company.ts';

type CompanyDocument = Omit<Company, 'id' | 'closed_at'> & { _id: string; closed_at: Date | null } & {
  admin_changes: number;
} & WithWords &
  WithOutbox;

type Changed = { company: Company; events: NewEvent[] };

export type CompanyStore = ReturnType<typeof createCompanyStore>;

type Options<Writes> = { write: ProtectedWrite | null; alongside: Writes };
type Alongside = (company: Company, within: Required<Within>) => Promise<void>;
type AlongsideChange = (company: Company, within: Required<Within>, before: Company) => Promise<void>;

const companySchema = new Schema<CompanyDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    kind: { type: String, required: true },
    siret: { type: String, default: null },
    siren: { type: String, default: null },
    closed_at: { type: Date, default: null },
    version: { type: Number, default: 0 },
    admin_changes: { type: Number },
    words: { type: [String], default: undefined },
  },
  { versionKey: false, collection: 'companies' },
);
companySchema.index({ words: 1 }, { name: 'words' });
addOutbox(companySchema);

export function createCompanyStore({ connection, relay }: { connection: Connection; relay: Relay }) {
  const model = connection.model<CompanyDocument>('Company', companySchema);
  relay.watch(model);
  return {
    /**
     * Saves the company with its events, and all that `alongside` writes. `write`: of the request.
     * @returns the company as saved, by an earlier attempt at this request or now
     */
    async add(created: Changed, { write, alongside }: Options<Alongside>): Promise<Company> {
      const saved = await transactionOnce(write, connection, async (session) => {
        const outbox = toCloudEvents('identity', created.events);
        const { id, ...fields } = created.company;
        await model.create([{ _id: id, ...fields, words: wordsOfCompany(fields), outbox }], { session });
        await alongside(created.company, { session });
        return { company: created.company, outbox };
      });
      relay.committed(model, saved.company.id, saved.outbox);
      return saved.company;
    },
    /**
     * Saves what `rule` makes of the company, which may run more than once; null from it: nothing is saved.
     * @returns the company as it is then, by an earlier attempt at this request or now; null if there is none
     */
    async change(
      id: string,
      rule: (company: Company) => Changed | null,
      { write, alongside }: Options<AlongsideChange>,
    ): Promise<Company | null> {
      const saved = await transactionOnce(write, connection, async (session) => {
        const found = await model.findById(id).session(session).lean<CompanyDocument>();
        const changed = found && rule(company(found));
        const result = {
          company: changed?.company ?? (found && company(found)),
          outbox: toCloudEvents('identity', changed?.events ?? []),
        };
        if (changed) {
          const { name, siret, siren, closed_at, version } = changed.company;
          const fields = { name, siret, siren, closed_at, version, words: wordsOfCompany({ name, siret }) };
          await model.updateOne(
            { _id: id },
            { $set: fields, $push: { outbox: { $each: result.outbox } } },
            { session },
          );
          await alongside(changed.company, { session }, company(found));
        }
        return result;
      });
      relay.committed(model, id, saved.outbox);
      return saved.company;
    },
    /**
     * To be called in a transaction that adds a user to the company, or takes an admin from it: of
     * two transactions at once, the second is repeated and sees what the first has done.
     */
    async lockUsers(id: string, within: Within): Promise<void> {
      await model.updateOne({ _id: id }, { $inc: { admin_changes: 1 } }, within);
    },
    ...companyQueries(model),
  };
}

function companyQueries(model: Model<CompanyDocument>) {
  return {
    async find(id: string): Promise<Company | null> {
      const found = await model.findById(id).lean<CompanyDocument>();
      return found && company(found);
    },
    /** Those after the cursor, ascending by id, at most `limit`. */
    async list({ limit, cursor }: Page): Promise<Company[]> {
      const found = model.find(cursor === undefined ? {} : { _id: { $gt: cursor } }).sort({ _id: 1 });
      return (await found.limit(limit).lean<CompanyDocument[]>()).map(company);
    },
    /** The same of those with all words of the text. */
    async search(text: string, page: Page): Promise<Company[]> {
      const found = await findByWords(model, { text, hint: 'words' }, page);
      return found.map(company);
    },
  };
}

function company({ _id, name, kind, siret, siren, closed_at = null, version = 0 }: CompanyDocument): Company {
  return { id: _id, name, kind, siret, siren, closed_at: closed_at?.toISOString() ?? null, version };
}
