import type { Caller, ExportedCompany } from '@app/contracts';
import { type ExportedRow, type ExportSources, exportedFile, nestedRows, rowsOf, singleRow } from '@app/service/export';
import type { ClockSettingsStore } from '../clock-settings/clock-settings-store.ts';
import { inOrderOfCreation } from '../contractors/contractor-list.ts';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import { documentResponse, type TicketDocument, visibleDocuments } from '../documents/document.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { plainText } from '../notes/mention.ts';
import { isReadable, type Note } from '../notes/note.ts';
import type { NoteStore } from '../notes/note-store.ts';
import type { TicketPresenter } from '../reading/ticket-presenter.ts';
import type { Referential, ReferentialKind } from '../referentials/referential.ts';
import { liveOnes } from '../referentials/referential-lists.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import { earlierItems, visibleEntries } from '../tickets/history.ts';
import { type StoredFile, type Ticket, type View, viewOfCompany } from '../tickets/ticket.ts';
import { isReportVisible, visibleDates, visibleQuotes } from '../tickets/visibility.ts';
import type { TicketPages, TicketWithHistory } from './export-queries-store.ts';

type Deps = {
  ticketPages: TicketPages;
  presenter: Pick<TicketPresenter, 'page'>;
  notes: Pick<NoteStore, 'list'>;
  documents: Pick<DocumentStore, 'list'>;
  contractors: Pick<ContractorStore, 'read'>;
  referentials: Pick<ReferentialStore, 'ofKind'>;
  clockSettings: Pick<ClockSettingsStore, 'find'>;
};

const ticketsAtOnce = 50;
const referentialKinds: ReferentialKind[] = ['custom_field', 'domain', 'equipment', 'job', 'location'];
const nobody = '0'.repeat(24);

/** What a company has of tickets: what its admin reads of them, and no more, since others work on the same tickets. */
export function exportSources(deps: Deps): ExportSources {
  const { notes, documents, contractors, referentials, clockSettings } = deps;
  return {
    tickets: (company, after) => ticketRows(deps, adminOf(company), after),
    notes: (company, after) =>
      nestedRows({
        after,
        things: (from) => ticketsFrom(deps, company, from),
        idOf: ({ _id }) => _id,
        rows: (ticket, within) => noteRows({ notes }, { ticket, reader: adminOf(company) }, within),
      }),
    documents: (company, after) =>
      nestedRows({
        after,
        things: (from) => ticketsFrom(deps, company, from),
        idOf: ({ _id }) => _id,
        rows: (ticket, within) =>
          rowsOf({
            after: within,
            read(position, limit) {
              const visible = visibleDocuments(ticket, ownView(ticket, company));
              return documents.list(ticket._id, visible, { limit, ...(position === null ? {} : { cursor: position }) });
            },
            rowOf: documentRow,
          }),
      }),
    contractors: (company, after) =>
      rowsOf({
        after,
        read: (position, limit) => contractors.read.rows(company.id, inOrderOfCreation, { after: position, limit }),
        rowOf: ({ position, document }) => ({ position, value: document }),
      }),
    referentials: (company, after) =>
      nestedRows({
        after,
        things: (from) => referentialKinds.filter((kind) => from === null || kind >= from),
        idOf: (kind) => kind,
        rows: (kind, within) =>
          rowsOf({
            after: within,
            read: (position, limit) => {
              const all = { ...inOrderOfCreation, conditions: liveOnes(kind, {}) };
              return referentials.ofKind(kind).rows(company.id, all, { after: position, limit });
            },
            rowOf: ({ document }) => referentialRow(document),
          }),
      }),
    clock_settings: (company, after) =>
      singleRow(after, async () => {
        const { version, policies, hours } = await clockSettings.find(company.id);
        return version === 0 ? null : { policies, hours };
      }),
  };
}

async function* ticketRows({ ticketPages, presenter }: Deps, reader: Caller, after: string | null) {
  const read = async (position: string | null, limit: number) => {
    const tickets = await ticketPages(reader, { after: position }, limit);
    const views = await presenter.page(tickets, reader);
    return tickets.map((ticket, index) => ({ ticket, view: views[index] as object }));
  };
  yield* rowsOf({ after, limit: ticketsAtOnce, read, rowOf: ({ ticket, view }) => ticketRow(ticket, view, reader) });
}

/**
 * A ticket with its dates and history, for which the API has separate lists, and with the files of
 * its quotes and reports.
 */
function ticketRow({ history = [], ...ticket }: TicketWithHistory, view: object, reader: Caller): ExportedRow {
  const own = viewOfCompany(ticket, reader.companyId) as View;
  const reports = ticket.reports.filter((report) => isReportVisible(report, ticket, own));
  const quoted = visibleQuotes(ticket.quotes, own).map(({ file }) => file);
  const stored = [...quoted, ...reports.map(({ file }) => file)].filter((file): file is StoredFile => file !== null);
  const files = stored.map((file) => ({ s3_key: file.key, path: exportedFile(file).path }));
  const items = [...visibleEntries(history, ticket, own), ...earlierItems(history, ticket, own)];
  return {
    position: ticket._id,
    value: { ...view, dates: visibleDates(ticket, own), history: items, files },
    files: stored.map(exportedFile),
  };
}

async function* noteRows(
  { notes }: Pick<Deps, 'notes'>,
  { ticket, reader }: { ticket: Ticket; reader: Caller },
  after: string | null,
): AsyncGenerator<ExportedRow> {
  if (ticket.note_count === 0) return;
  const all = await notes.list(ticket._id);
  const start = after === null ? 0 : all.findIndex(({ _id }) => _id === after) + 1;
  for (const note of all.slice(start)) {
    if (isReadable(note, ticket, reader)) yield { position: note._id, value: noteValue(note) };
  }
}

function noteValue({ author: { email: _, ...author }, ...note }: Note) {
  return { ...note, note: plainText(note.note), author };
}

function documentRow(document: TicketDocument): ExportedRow {
  const file = exportedFile(document.file);
  const { _id, ticket_id, company_id } = document;
  return {
    position: _id,
    value: { ...documentResponse(document), ticket_id, company_id, file: file.path },
    files: [file],
  };
}

function referentialRow({ deleted_at: _, ...one }: Referential): ExportedRow {
  const photo = 'photo' in one ? one.photo : null;
  if (!photo) return { position: one._id, value: one };
  const file = exportedFile(photo);
  return { position: one._id, value: { ...one, photo: { ...photo, file: file.path } }, files: [file] };
}

async function* ticketsFrom({ ticketPages }: Deps, company: ExportedCompany, from: string | null) {
  const viewer = { companyId: company.id, companyKind: company.kind };
  let page = await ticketPages(viewer, { from }, ticketsAtOnce);
  for (;;) {
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < ticketsAtOnce) return;
    page = await ticketPages(viewer, { after: last._id }, ticketsAtOnce);
  }
}

/** A caller who may read all that the company may read. */
function adminOf({ id: companyId, kind: companyKind }: ExportedCompany): Caller {
  const name = { companyName: '', firstName: '', lastName: '', email: '' };
  return { ...name, companyId, companyKind, userId: nobody, permissions: ['admin'], via: 'session' };
}

function ownView(ticket: Ticket, company: ExportedCompany): View {
  return viewOfCompany(ticket, company.id) as View;
}
