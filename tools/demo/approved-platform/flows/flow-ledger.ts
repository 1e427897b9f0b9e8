import { randomUUID } from 'node:crypto';
import { HttpError } from '../../fake-server/http-server.ts';
import type { Acknowledgement, Flow, StoredFlow } from '../flow.ts';

const maxFlows = 20_000;
const maxBytes = 500_000_000;

/** What may change of a flow that is there. `at` is its `updatedAt`, now if absent. */
export type Change = { acknowledgement?: Acknowledgement; flow?: Partial<Flow>; missing?: string[]; at?: string };

/** The platform's flows, in memory and bounded: the oldest are dropped first. */
export class FlowLedger {
  readonly #flows = new Map<string, StoredFlow>();
  #bytes = 0;

  /** Adds a flow, or puts another one in its place. @throws HttpError 413 */
  add({ flow, ...rest }: Omit<StoredFlow, 'flow'> & { flow: Partial<Flow> & Pick<Flow, 'name' | 'flowSyntax'> }) {
    const now = new Date().toISOString();
    const stored: StoredFlow = {
      ...rest,
      flow: {
        flowId: randomUUID(),
        flowProfile: 'CIUS',
        processingRule: 'B2B',
        processingRuleSource: 'Computed',
        flowType: 'SupplierInvoice',
        flowDirection: 'In',
        submittedAt: now,
        acknowledgement: { status: 'Ok' },
        ...flow,
        updatedAt: flow.updatedAt ?? flow.submittedAt ?? now,
      },
    };
    this.remove(stored.flow.flowId);
    if (this.#bytes + sizeOf(stored) > maxBytes) throw new HttpError(413, 'TOO_LARGE', 'the fake holds no more files');
    this.#bytes += sizeOf(stored);
    this.#flows.set(stored.flow.flowId, stored);
    if (this.#flows.size > maxFlows) this.remove(this.#flows.keys().next().value as string);
    return stored;
  }

  /** @throws HttpError 404 */
  change(flowId: string, { acknowledgement, flow, missing = [], at }: Change): StoredFlow {
    const stored = this.byId(flowId);
    // A change in the moment of the last one is later.
    const now = new Date(Math.max(Date.now(), Date.parse(stored.flow.updatedAt) + 1)).toISOString();
    const settled = acknowledgement === undefined ? {} : { acknowledgement };
    const documents = Object.fromEntries(Object.entries(stored.documents).filter(([type]) => !missing.includes(type)));
    const changed = {
      ...stored,
      documents,
      flow: { ...stored.flow, ...flow, ...settled, flowId, updatedAt: at ?? now },
    };
    this.#bytes += sizeOf(changed) - sizeOf(stored);
    this.#flows.set(flowId, changed);
    return changed;
  }

  remove(flowId: string): void {
    const stored = this.#flows.get(flowId);
    if (stored) this.#bytes -= sizeOf(stored);
    this.#flows.delete(flowId);
  }

  /** @throws HttpError 404 if the organisation has no such flow */
  read(organization: string, flowId: string): StoredFlow {
    const stored = this.byId(flowId);
    if (stored.organization !== organization) throw notFound();
    return stored;
  }

  /** The flows of an organisation, in the order in which they were added. */
  of(organization: string): StoredFlow[] {
    return [...this.#flows.values()].filter((one) => one.organization === organization);
  }

  /** @throws HttpError 404 */
  byId(flowId: string): StoredFlow {
    const stored = this.#flows.get(flowId);
    if (!stored) throw notFound();
    return stored;
  }
}

function sizeOf({ documents }: StoredFlow): number {
  return Object.values(documents).reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function notFound(): HttpError {
  return new HttpError(404, 'MISSING_RESOURCE', 'there is no such flow');
}
