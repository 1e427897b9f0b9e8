import type { CompanyKind, ExportPageRead, ExportPageRequested, UserSnapshot } from '@app/contracts';
import { newId } from '@app/kernel';

/** `done` and `failed` are ends; a done one has expired once its archive is deleted. */
export const exportStates = ['collecting', 'writing', 'done', 'failed', 'expired'] as const;
type ExportState = (typeof exportStates)[number];

/** How many lines were collected of a kind, which is one file of the archive. */
type KindProgress = { service: string; kind: string; count: number };

/** `address`: path and query of its download. `rights`: what its user may see; once that changes, the export is over. */
export type ExportedList = {
  address: string;
  user_id: string;
  rights: Pick<UserSnapshot, 'permissions' | 'place_ids'>;
};

/** An export of all that a company has, or of a list that one of its users sees. One of each owner runs at a time. */
export type CompanyExport = {
  _id: string;
  /** The id of the company or, of a list, that of the user. */
  owner: string;
  list?: ExportedList;
  company: { id: string; name: string; kind: CompanyKind };
  state: ExportState;
  requested_at: Date;
  finished_at: Date | null;
  /** When the archive is deleted. */
  expires_at: Date | null;
  kinds: KindProgress[];
  /**
   * The page that is waited for: the index of its kind, the position after which it begins, and how
   * often it was asked for.
   */
  awaited: { kind: number; after: string | null; tries: number };
  /** Pages that were collected. */
  pages: number;
  files: { total: number; written: number };
  /** How often writing the archive has failed. */
  failures: number;
  archive: { key: string; size: number | null } | null;
  error: ExportError | null;
  downloads: number;
  /** True after the end of the export, until the collected pages are removed. */
  leftovers: boolean;
};

export type ExportError = { service: string; kind: string | null; message: string };

/** What the archive contains: the services and their kinds, in this order. */
const plan: readonly (readonly [service: string, kinds: readonly string[]])[] = [
  ['identity', ['company', 'users', 'api_tokens', 'single_sign_on', 'notifications', 'audit_log']],
  ['ticket', ['tickets', 'notes', 'documents', 'contractors', 'referentials', 'clock_settings']],
  ['purchase', ['purchases', 'purchases_received']],
  ['invoice-reconciliation', ['invoices']],
  ['connection', ['invoice_connections']],
  ['webhook-dispatcher', ['webhook_endpoints', 'webhook_deliveries']],
];

/** The kinds of all services. */
export const exportKinds = [...plan.flatMap(([, kinds]) => kinds), 'list'];

export const keptMs = 7 * 24 * 3600_000;
/** A sheet of XLSX has 1,048,576. */
const maxListRows = 1_000_000;
const minuteMs = 60_000;
/** How long an answer is waited for, from one request to the next: more than an hour in all, as long as a release may take. */
export const defaultRetryDelaysMs = [0.25, 0.5, 1, 2, 5, 10, 10, 10, 15, 15].map((minutes) => minutes * minuteMs);

/** Of all that the company has, or of one list, which `service` has. */
export function newExport(
  company: CompanyExport['company'],
  at: Date,
  one?: { service: string; list: ExportedList },
): CompanyExport {
  const wanted = one ? [[one.service, ['list']] as const] : plan;
  return {
    _id: newId(at),
    owner: one?.list.user_id ?? company.id,
    ...(one && { list: one.list }),
    company,
    state: 'collecting',
    requested_at: at,
    finished_at: null,
    expires_at: null,
    kinds: wanted.flatMap(([service, kinds]) => kinds.map((kind) => ({ service, kind, count: 0 }))),
    awaited: { kind: 0, after: null, tries: 0 },
    pages: 0,
    files: { total: 0, written: 0 },
    failures: 0,
    archive: null,
    error: null,
    downloads: 0,
    leftovers: false,
  };
}

export function isEnded({ state }: Pick<CompanyExport, 'state'>): boolean {
  return state !== 'collecting' && state !== 'writing';
}

/** The request of the page that is waited for; null if none is. */
export function awaitedPage({ _id, state, company, kinds, awaited }: CompanyExport): ExportPageRequested | null {
  const wanted = kinds[awaited.kind];
  if (state !== 'collecting' || !wanted) return null;
  const { id, kind } = company;
  return {
    export_id: _id,
    company: { id, kind },
    after: awaited.after,
    service: wanted.service,
    kind: wanted.kind,
  };
}

/**
 * The export with this page; null if it is not the page that is waited for, because it was asked
 * for twice and came before. It has failed if the page was refused, or if a list is too long.
 */
export function withPage(job: CompanyExport, page: ExportPageRead, at: Date): CompanyExport | null {
  const wanted = awaitedPage(job);
  if (!wanted || page.service !== wanted.service || page.kind !== wanted.kind || page.after !== wanted.after)
    return null;
  const { kind } = job.awaited;
  const kinds = job.kinds.map((one, index) => (index === kind ? { ...one, count: one.count + page.count } : one));
  const awaited = { kind: page.next === null ? kind + 1 : kind, after: page.next, tries: 0 };
  const state = awaited.kind < kinds.length ? ('collecting' as const) : ('writing' as const);
  const isTooLong = job.list !== undefined && (kinds[kind]?.count ?? 0) > maxListRows;
  const refused =
    page.refused ?? (isTooLong ? `a file has at most ${maxListRows} rows: narrow the filters` : undefined);
  const taken = { ...job, kinds, awaited, pages: job.pages + 1 };
  if (refused === undefined) return { ...taken, state };
  const { service } = page;
  return { ...taken, ...failedAt(at, { service, kind: page.kind, message: refused }) };
}

export function failedAt(at: Date, error: ExportError) {
  return { state: 'failed' as const, finished_at: at, error, leftovers: true };
}

/** `missing`: paths of files that the storage did not have. */
export function manifestOf(job: CompanyExport, { at, missing }: { at: Date; missing: readonly string[] }) {
  return {
    format: 'company-export',
    version: 1,
    export_id: job._id,
    company: job.company,
    requested_at: job.requested_at.toISOString(),
    made_at: at.toISOString(),
    kinds: job.kinds.map(({ kind, count }) => ({ kind, file: `${kind}.jsonl`, count })),
    files: job.files.total - missing.length,
    missing_files: missing,
  };
}

/** The name of its file. */
export function fileNameOf({ company, list, requested_at }: Pick<CompanyExport, 'company' | 'list' | 'requested_at'>) {
  const day = requested_at.toISOString().slice(0, 10);
  if (!list) return `export-${company.id}-${day}.zip`;
  const { pathname, searchParams } = new URL(list.address, 'http://list');
  const format = Object.fromEntries(searchParams)['format'] === 'xlsx' ? 'xlsx' : 'csv';
  return `${pathname.split('/').at(-2)}-${day}.${format}`;
}

/** The export in a reply. */
export function exportResponse(job: CompanyExport) {
  const { _id, company, state, kinds, awaited, files, archive, error } = job;
  const collected = (index: number) => state !== 'collecting' || index < awaited.kind;
  return {
    id: _id,
    company: { id: company.id, name: company.name },
    file_name: fileNameOf(job),
    state,
    requested_at: job.requested_at.toISOString(),
    finished_at: job.finished_at?.toISOString() ?? null,
    expires_at: job.expires_at?.toISOString() ?? null,
    size: archive?.size ?? null,
    progress: {
      kinds: kinds.map(({ kind, count }, index) => ({
        kind,
        // The first line of a list is its head.
        count: job.list ? Math.max(count - 1, 0) : count,
        done: collected(index) && !isStuckAt(job, index),
      })),
      files: { total: files.total, done: files.written },
    },
    error,
  };
}

/** Whether it failed before this kind was collected. */
function isStuckAt({ state, awaited }: CompanyExport, index: number): boolean {
  return state === 'failed' && index >= awaited.kind;
}
