import { type ExportPageRead, exportPageRead, exportPageRequested } from '@app/contracts';
import { type Broker, type ConsumerOptions, on, toCloudEvents } from '@app/messaging';
import type { Logger } from '@app/runtime';
import { newKey, type Storage } from '@app/storage';
import { createPoller, type Lease, newLease, type Poller } from '@app/work-queue';
import { archiveEntries } from './archive-entries.ts';
import {
  awaitedPage,
  type CompanyExport,
  defaultRetryDelaysMs,
  type ExportError,
  failedAt,
  isEnded,
  keptMs,
} from './export.ts';
import type { ExportStore } from './export-store.ts';
import { archiveOf, listFile, type RequestOf } from './list-export.ts';
import { zipArchive } from './zip-archive.ts';

type Deps = {
  store: ExportStore;
  storage: Pick<Storage, 'get' | 'put' | 'remove'>;
  requestOf: RequestOf;
  broker: Pick<Broker, 'publish'>;
  logger: Logger;
  now: () => Date;
} & ExportTimes;

export type ExportTimes = {
  /** How long each request for a page is waited for; after the last one the export has failed. */
  retryDelaysMs?: readonly number[];
  pollMs?: number;
};

const defaultPollMs = 5_000;
/** Renewed while an archive is written. */
const leaseMs = 60_000;
const renewMs = 5_000;
const maxFailures = 5;

/**
 * Carries out exports, one process at a time for each: asks the services for one page after the
 * other, makes an archive of all pages, and deletes it after a week. A page is asked for again
 * until it comes; an archive that was not finished is begun again.
 */
export class ExportWorker {
  readonly #deps: Deps;
  readonly #retryDelaysMs: readonly number[];
  readonly #pollMs: number;
  readonly #poller: Poller;
  readonly #stopping = new AbortController();
  /** The queue of the pages that the services read. */
  readonly subscription: ConsumerOptions;

  constructor({ retryDelaysMs = defaultRetryDelaysMs, pollMs = defaultPollMs, ...deps }: Deps) {
    this.#deps = deps;
    this.#retryDelaysMs = retryDelaysMs;
    this.#pollMs = pollMs;
    this.#poller = createPoller({
      run: () => this.#work(),
      everyMs: pollMs,
      immediate: true,
      onError: (error) => deps.logger.warn('an export failed and will be repeated', { error }),
    });
    const collect = on(exportPageRead, ({ data }) => this.#collect(data));
    this.subscription = { queue: 'export-pages', table: [collect] };
  }

  /** Looks for exports that are due now. */
  notify(): void {
    this.#poller.notify();
  }

  start(): void {
    this.#poller.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the process is stopping'));
    await this.#poller.stop();
  }

  #inFuture(ms: number): Date {
    return new Date(this.#deps.now().getTime() + ms);
  }

  async #collect(page: ExportPageRead): Promise<void> {
    const { store, logger, now } = this.#deps;
    const askAgainAt = this.#inFuture(this.#retryDelaysMs[0] ?? this.#pollMs);
    const job = await store.addPage(page, { at: now(), askAgainAt });
    if (!job) return;
    if (job.state !== 'collecting') this.#poller.notify();
    // If this fails, or the process dies before it, the page is asked for again when it is due.
    else await this.#ask(job).catch((error) => logger.warn('page of an export could not be requested', { error }));
  }

  /** False if who asked for a list may no longer see it as when the export began. */
  async #ask(job: CompanyExport): Promise<boolean> {
    const { broker, requestOf, now } = this.#deps;
    const page = awaitedPage(job);
    if (!page) return true;
    const list = job.list && (await requestOf(job));
    if (list === null) return false;
    const asked = { ...page, ...(list && { list }) };
    await broker.publish(toCloudEvents('ticket', [exportPageRequested(asked, now(), job.company.id)]));
    return true;
  }

  async #work(): Promise<void> {
    const { store, now } = this.#deps;
    while (!this.#stopping.signal.aborted) {
      const lease = newLease(now(), leaseMs);
      const job = await store.claim(lease);
      if (job === null) return;
      await this.#workOn(job, lease).catch(async (error) => {
        await store.save(job._id, lease, {}, this.#inFuture(this.#pollMs));
        throw error;
      });
    }
  }

  async #workOn(job: CompanyExport, lease: Lease): Promise<void> {
    if (isEnded(job)) await this.#cleanUp(job, lease);
    else if (job.state === 'collecting') await this.#askAgain(job, lease);
    else await this.#writeArchive(job, lease).catch((error) => this.#retryWriting(job, lease, error));
  }

  async #askAgain(job: CompanyExport, lease: Lease): Promise<void> {
    const { store, logger } = this.#deps;
    const { tries, kind: index } = job.awaited;
    const { service = '', kind = null } = job.kinds[index] ?? {};
    const delayMs = this.#retryDelaysMs[tries];
    if (delayMs === undefined) {
      return this.#fail(job, lease, { service, kind, message: `${service} did not answer` });
    }
    if (tries > 0) {
      logger.warn('page of an export requested again', { exportId: job._id, service, kind, tries });
    }
    if (!(await this.#ask(job))) {
      return this.#fail(job, lease, { service, kind, message: 'the rights of its user have changed: begin it again' });
    }
    const awaited = { ...job.awaited, tries: tries + 1 };
    await store.save(job._id, lease, { awaited }, this.#inFuture(delayMs));
  }

  async #writeArchive(job: CompanyExport, lease: Lease): Promise<void> {
    const { store, storage, now } = this.#deps;
    // Removes what an earlier attempt may have left.
    if (job.archive) await storage.remove(job.archive.key);
    const key = newKey();
    const written = { total: job.files.total, written: 0 };
    const begun = { archive: { key, size: null }, files: written };
    if (!(await store.renew(job._id, lease, begun, this.#inFuture(leaseMs)))) return;
    const onFile = () => {
      written.written += 1;
    };
    const content = job.list
      ? await listFile(store.lines(job._id, 0))
      : zipArchive(archiveEntries({ store, storage, now, onFile }, job), job.requested_at);
    const file = { ...archiveOf(job), under: key };
    const renewal = this.#renewal(job, lease, written);
    try {
      const signal = AbortSignal.any([this.#stopping.signal, renewal.lost]);
      const { size } = await storage.put(content, { ...file, signal });
      await renewal.stop();
      await this.#finish(job, lease, { archive: { key, size }, files: written });
    } finally {
      await renewal.stop();
    }
  }

  /** Renews the lease while an archive is written, and stores the progress. */
  #renewal(job: CompanyExport, lease: Lease, files: CompanyExport['files']) {
    const { store, logger } = this.#deps;
    const lost = new AbortController();
    const renewer = createPoller({
      run: async () => {
        const isKept = await store.renew(job._id, lease, { files }, this.#inFuture(leaseMs));
        if (!isKept) lost.abort(new Error('another process has taken over the export'));
      },
      everyMs: renewMs,
      onError: (error) => logger.warn('lease of an export could not be renewed', { error }),
    });
    renewer.start();
    return { lost: lost.signal, stop: () => renewer.stop() };
  }

  async #retryWriting(job: CompanyExport, lease: Lease, error: unknown): Promise<void> {
    const { store } = this.#deps;
    if (this.#stopping.signal.aborted) await store.save(job._id, lease, {}, this.#deps.now());
    else if (job.failures + 1 < maxFailures) {
      const failures = job.failures + 1;
      await store.save(job._id, lease, { failures }, this.#inFuture(this.#pollMs * failures));
    } else {
      await this.#fail(job, lease, { service: 'ticket', kind: null, message: 'the archive could not be written' });
    }
    throw error;
  }

  async #finish(job: CompanyExport, lease: Lease, made: Pick<CompanyExport, 'archive' | 'files'>): Promise<void> {
    const { store, storage, logger, now } = this.#deps;
    const at = now();
    const expires_at = new Date(at.getTime() + keptMs);
    const ended = { state: 'done' as const, finished_at: at, expires_at, leftovers: true };
    if (!(await store.save(job._id, lease, { ...made, ...ended }, at))) {
      // The lease was lost: the process that took over removed this archive before it was complete,
      // or did not know its key.
      if (made.archive) await storage.remove(made.archive.key);
      return;
    }
    logger.info('company exported', { exportId: job._id, companyId: job.company.id, size: made.archive?.size });
  }

  async #fail(job: CompanyExport, lease: Lease, error: ExportError): Promise<void> {
    const { store, logger, now } = this.#deps;
    const at = now();
    await store.save(job._id, lease, failedAt(at, error), at);
    logger.error('an export has failed', { exportId: job._id, companyId: job.company.id, ...error });
  }

  /** Collected pages go once they are in the archive, the archive itself after a week. */
  async #cleanUp(job: CompanyExport, lease: Lease): Promise<void> {
    const { store, storage, now } = this.#deps;
    if (job.leftovers) await store.clear(job._id);
    if (job.state === 'done' && job.expires_at !== null && job.expires_at > now()) {
      await store.save(job._id, lease, { leftovers: false }, job.expires_at);
      return;
    }
    if (job.archive) await storage.remove(job.archive.key);
    const state = job.state === 'done' ? 'expired' : job.state;
    await store.save(job._id, lease, { state, leftovers: false, archive: null }, null);
  }
}
