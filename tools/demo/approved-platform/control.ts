import { randomUUID } from 'node:crypto';
import { HttpError, missing } from '../fake-server/http-server.ts';
import type { Accounts, Client, TokenRequest } from './accounts.ts';
import type { Directory, Entries } from './directory.ts';
import { type Acknowledgement, type DocType, type Flow, type StoredFlow, toldOf } from './flow.ts';
import type { FlowService, ReceivedFlow, Rejection } from './flows/flow-api.ts';
import type { Change } from './flows/flow-ledger.ts';
import type { CallbackResult, Delivery } from './flows/webhooks.ts';
import { factsOf } from './invoices/invoice-facts.ts';
import { type InvoiceContent, makeInvoice, type WantedInvoice } from './invoices/made-invoice.ts';
import { type LifeCycle, writeCdar } from './life-cycle/cdar-writer.ts';
import { change, type Settings } from './settings.ts';

/** Whose flow it is, what it says besides the usual, and whether callbacks tell of it (as the setting `callbacks` says if absent). */
type Placed = { organization: string; flow?: Partial<Flow>; notify?: Delivery | boolean };

type GivenDocument = { syntax: string; bytes: Buffer; name?: string };

/** An invoice that is made, or a document that is given. `missing`: documents that the platform does not have of it. */
export type AddedInvoice = Placed & {
  invoice?: WantedInvoice;
  document?: GivenDocument;
  missing?: DocType[];
};

export type AddedLifeCycle = Placed & LifeCycle & { invoiceFlowId: string };

/** The flow as it is told, and the callbacks that were sent of it. */
export type Told = { flow: Flow; callbacks: CallbackResult[] };

/** What arrived, oldest first. Tokens, keys and secrets are in none of it. */
export type Received = {
  flows: ReceivedFlow[];
  requests: {
    at: string;
    method: string;
    path: string;
    requestId: string | null;
    organization: string | null;
    status: number | null;
  }[];
  tokenRequests: TokenRequest[];
  callbacks: CallbackResult[];
};

type Deps = { service: FlowService; accounts: Accounts; directory: Directory; requests: Received['requests'] };

/** What those may do who play the platform (README.md). */
export class Control {
  readonly #deps: Deps;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #sending = new Set<Promise<unknown>>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Adds or changes a client. */
  setClient(client: Pick<Client, 'clientId' | 'clientSecret'> & Partial<Client>): void {
    this.#deps.accounts.setClient({ organizations: [], apiKey: null, ...client });
  }

  set(settings: Partial<Settings>): void {
    change(this.#deps.service.settings, settings);
  }

  /** Ends all tokens before their time. */
  revokeTokens(): void {
    this.#deps.accounts.revoke();
  }

  addToDirectory(entries: Entries): void {
    this.#deps.directory.add(entries);
  }

  /** Refuses flows that clients send from now on. */
  reject(rejection: Rejection): void {
    this.#deps.service.rejections.push({ ...rejection });
  }

  /** Adds an incoming invoice. @throws HttpError 422 */
  addInvoice({ organization, invoice, document, missing: without = [], flow, notify }: AddedInvoice): Promise<Told> {
    if (!invoice && !document) throw missing('invoice or document');
    const { syntax, facts, documents } = invoice ? makeInvoice(invoice) : given(document as GivenDocument);
    const kept = Object.entries(documents).filter(([type]) => !without.includes(type as DocType));
    const name = documents.Original?.name ?? 'invoice.xml';
    return this.#add(organization, notify, {
      facts,
      documents: Object.fromEntries(kept),
      flow: { name, flowSyntax: syntax, ...flow },
    });
  }

  /** Adds a status that a seller or a platform set, as an incoming life-cycle message. @throws HttpError 404, 422 */
  addLifeCycle({ organization, invoiceFlowId, flow, notify, ...lifeCycle }: AddedLifeCycle): Promise<Told> {
    const { facts, flow: about } = this.#deps.service.ledger.read(organization, invoiceFlowId);
    if (facts === null) throw new HttpError(422, 'unknown_invoice', 'the fake could not read this invoice');
    const id = randomUUID();
    const bytes = Buffer.from(writeCdar(lifeCycle, facts, { id, at: new Date() }));
    const type = { flowType: 'SupplierInvoiceLC', flowProfile: 'Undefined', processingRule: about.processingRule };
    const name = `${id}.xml`;
    return this.#add(organization, notify, {
      facts: null,
      documents: { Original: { name, bytes } },
      flow: { name, flowSyntax: 'CDAR', ...type, ...flow },
    });
  }

  /** Changes a flow that is there: its acknowledgement among others. @throws HttpError 404 */
  change(flowId: string, { notify, ...changed }: Change & Pick<Placed, 'notify'>): Promise<Told> {
    return this.#tell(this.#deps.service.ledger.change(flowId, changed), notify);
  }

  /** Lets a flow leave Pending, as what the platform found it to be. @throws HttpError 404 */
  settle(flowId: string, notify?: Placed['notify']): Promise<Told> {
    const acknowledgement = this.#verdictOf(flowId);
    return this.change(flowId, { acknowledgement, ...(notify === undefined ? {} : { notify }) });
  }

  /** Sends the callbacks of these flows, in this order: once more, late, or forged. @throws HttpError 404 */
  async send(flowIds: readonly string[], delivery: Delivery = {}): Promise<CallbackResult[]> {
    const results: CallbackResult[] = [];
    for (const id of flowIds) {
      const stored = this.#deps.service.ledger.byId(id);
      results.push(...(await this.#deps.service.webhooks.tell(stored, delivery)));
    }
    return results;
  }

  received(): Received {
    const { service, accounts, requests } = this.#deps;
    return {
      flows: service.received,
      requests,
      tokenRequests: accounts.tokenRequests,
      callbacks: service.webhooks.sent,
    };
  }

  /** Tells of a flow that a client sent, and lets it leave Pending when the settings say so. */
  settleLater(flowId: string): void {
    const { ledger, settings } = this.#deps.service;
    const after = settings.acknowledgeAfterMs;
    const told = this.#tell(ledger.byId(flowId));
    if (after === 0) {
      const settled = ledger.change(flowId, { acknowledgement: this.#verdictOf(flowId) });
      this.#track(told.then(() => this.#tell(settled)));
      return;
    }
    this.#track(told);
    if (after === null) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#track(this.settle(flowId));
    }, after);
    this.#timers.add(timer);
  }

  /** Ends the work that is under way. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.allSettled(this.#sending);
  }

  #verdictOf(flowId: string): Acknowledgement {
    return this.#deps.service.received.find((one) => one.flowId === flowId)?.verdict ?? { status: 'Ok' };
  }

  #add(
    organization: string,
    notify: Placed['notify'],
    flow: Omit<Parameters<FlowService['ledger']['add']>[0], 'organization'>,
  ) {
    if (!this.#deps.accounts.isOrganization(organization)) throw missing('organization');
    return this.#tell(this.#deps.service.ledger.add({ organization, ...flow }), notify);
  }

  async #tell(stored: StoredFlow, notify?: Placed['notify']): Promise<Told> {
    const { webhooks, settings } = this.#deps.service;
    const isTold = notify ?? settings.callbacks === 'automatic';
    const delivery = typeof notify === 'object' ? notify : {};
    return { flow: toldOf(stored), callbacks: isTold ? await webhooks.tell(stored, delivery) : [] };
  }

  #track(work: Promise<unknown>): void {
    const tracked = work.catch(() => undefined).finally(() => this.#sending.delete(tracked));
    this.#sending.add(tracked);
  }
}

function given({ syntax, bytes, name = 'invoice' }: GivenDocument): InvoiceContent {
  return { syntax, facts: factsOf(bytes), documents: { Original: { name, bytes } } };
}
