import { type Caller, oneOf } from '@app/contracts';
import { answer, named, nullableString, type Route, route } from '@app/http';
import Joi from 'joi';
import { clientsOnly } from '../http/client-only-access.ts';
import { userRef } from '../tickets/ticket-route-base.ts';
import { maxRows, maxTicketRows, readCsv, shortened } from './csv.ts';
import { entryRows } from './entry-rows.ts';
import type { Import, ImportStore } from './import-store.ts';
import { countsOf, type RowPlan, verdictOf, verdicts } from './row-plan.ts';

type ImportBody = { kind: 'locations' | 'equipments' | 'contractor_fields' | 'ticket_fields'; csv: string };
type ApplyBody = ImportBody & { preview: string };

const body = {
  kind: Joi.valid('locations', 'equipments', 'contractor_fields', 'ticket_fields').required(),
  csv: Joi.string()
    .max(1_000_000)
    .required()
    .description(
      `the content of the file: names of columns, then at most ${maxRows} rows, of tickets ${maxTicketRows}, cut by \`;\` or \`,\``,
    ),
};
const count = Joi.number().integer().min(0);
const counts = answer({ created: count, changed: count, unchanged: count, faulty: count });
const row = named('ImportRow', {
  line: count.description('where it begins in the file, from 1'),
  name: Joi.string().allow(''),
  verdict: oneOf(verdicts),
  changes: Joi.array()
    .items(answer({ column: Joi.string(), before: nullableString.allow(''), after: nullableString.allow('') }))
    .description('texts are cut after 200 characters'),
  faults: Joi.array().items(answer({ column: Joi.string(), message: Joi.string() })),
});
/** A limited user could not see what the file would change elsewhere. */
const access = { ...clientsOnly, everyPlace: true } as const;
const common = { host: 'ts', tag: 'Imports', access, method: 'post' } as const;
const columns =
  'Columns of `locations`: `_id`, `name`, `reference`, `parent`, `location_facturation`, and the parts of the address, such as `postalCode`; of `equipments`: `_id`, `name`, `parent`, `location`, `serial_number`, `make`, `in_service_since`, `warranty_until`; ' +
  'of `contractor_fields`: `_id`, `siret` or `name` of the contractor, of `ticket_fields`: `_id` or `number` of the ticket, and a custom field each, by its name or id. What has no column stays; an empty cell empties. The downloads of `locations` and `equipments` have these columns. ' +
  '`parent`, `location` and `location_facturation` take an `_id`, a reference or a name, also of a line above. A row is about the entry that has its `_id`, else its `reference`, else its name, below the same `parent` and at the same `location` if the file has these columns; ' +
  'otherwise it is new. Contractors and tickets are not added.';

/** Lists and values of custom fields from a file, all of it or nothing. */
export function importRoutes({ imports }: { imports: ImportStore }): Route[] {
  return [
    route<object, object, ImportBody>({
      ...common,
      path: '/imports/preview',
      summary: 'What a file would change, row by row',
      description: `Writes nothing. ${columns}`,
      body: Joi.object<ImportBody>(body),
      errors: ['409 too_many_entries'],
      reply: {
        status: 200,
        schema: answer({
          preview: nullableString.description('what `POST /imports` takes; null while a row has faults'),
          counts,
          unread: count.description('rows behind the first hundred with faults, which were not looked at'),
          rows: Joi.array().items(row),
        }),
      },
      async handle({ caller, body: given }) {
        const wanted = importOf(caller, given);
        const { preview, rows } = await imports.preview(wanted);
        const unread = wanted.unread;
        return {
          preview: unread > 0 ? null : preview,
          counts: countsOf(rows),
          unread,
          rows: rows.map(rowResponse),
        };
      },
    }),
    route<object, object, ApplyBody>({
      ...common,
      path: '/imports',
      summary: 'Import a file that was previewed',
      description: 'Writes all that the preview said, or nothing.',
      body: Joi.object<ApplyBody>({ ...body, preview: Joi.string().hex().length(64).required() }),
      errors: ['409 import_outdated', '409 too_many_entries'],
      reply: { status: 200, schema: counts },
      async handle({ caller, body: { preview, ...given }, write }) {
        return imports.apply(importOf(caller, given), preview, write);
      },
    }),
  ];
}

const entryKinds = { locations: 'location', equipments: 'equipment' } as const;

/** @throws ValidationError for the file as a whole */
function importOf(caller: Caller, { kind, csv: text }: ImportBody): Import & { unread: number } {
  const { companyId: clientId } = caller;
  const csv = readCsv(text, kind === 'ticket_fields' ? maxTicketRows : maxRows);
  if (kind === 'contractor_fields') return { clientId, kind: 'contractor_field', csv, unread: 0 };
  if (kind === 'ticket_fields') {
    const actor = { party: 'client', companyId: clientId, user: userRef(caller) } as const;
    return { clientId, kind: 'ticket_field', csv, actor, unread: 0 };
  }
  const rows = entryRows(entryKinds[kind], csv);
  return { clientId, kind: entryKinds[kind], rows, unread: csv.rows.length - rows.length };
}

function rowResponse(planned: RowPlan<unknown>) {
  const { line, name, changes, faults } = planned;
  const cut = (text: string | null) => text && shortened(text);
  return {
    line,
    name: shortened(name),
    verdict: verdictOf(planned),
    changes: changes.map(({ column, before, after }) => ({ column, before: cut(before), after: cut(after) })),
    faults: faults.map(({ column, message }) => ({ column: shortened(column), message })),
  };
}
