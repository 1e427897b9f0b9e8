import { createHash } from 'node:crypto';
import { HttpError, pathSegments, type Reply, type Request } from '../../fake-server/http-server.ts';
import type { Caller } from '../accounts.ts';
import { type Acknowledgement, type Detail, type DocType, docTypes, type StoredFlow, toldOf } from '../flow.ts';
import { cdarFaults, type Subject, subjectOf } from '../life-cycle/cdar-check.ts';
import { isPayment } from '../life-cycle/cdar-rules.ts';
import type { Settings } from '../settings.ts';
import type { FlowLedger } from './flow-ledger.ts';
import type { Searches } from './search.ts';
import { type FlowInfo, submissionOf } from './submission.ts';
import type { Webhooks } from './webhooks.ts';

/** Refuses flows that were sent, with this reason: the first `times` of those whose file contains `match`. */
export type Rejection = {
  reasonCode: string;
  reasonMessage?: string;
  item?: string;
  match?: string;
  times?: number;
};

/** A flow that a client sent, and what the platform makes of it once it leaves Pending. */
export type ReceivedFlow = Caller & {
  flowId: string;
  flowInfo: FlowInfo;
  file: Buffer;
  /** What it is about, if it is a life-cycle message. */
  subject: Subject | null;
  verdict: Acknowledgement;
};

export type FlowService = {
  ledger: FlowLedger;
  searches: Searches;
  webhooks: Webhooks;
  settings: Settings;
  received: ReceivedFlow[];
  rejections: Rejection[];
  /** Settles a flow, and tells those who subscribed. */
  settle(flowId: string): void;
};

const maxReceived = 1_000;

/** The flow service below `/v1`. Null for an unknown path. */
export function handleFlows(service: FlowService, caller: Caller, request: Request): Reply | null {
  const [, resource, id, ...rest] = pathSegments(request);
  if (rest.length > 0) return null;
  const { webhooks, searches, ledger, settings } = service;
  switch (`${request.method} ${[resource, ...(id === undefined ? [] : [id === 'search' ? id : ':id'])].join('/')}`) {
    case 'POST flows':
      return submit(service, caller, request);
    case 'POST flows/search':
      return searches.answer(request, ledger.of(caller.organization), settings);
    case 'GET flows/:id':
      return flow(ledger.read(caller.organization, id as string), request, settings);
    case 'GET webhooks': {
      const owned = webhooks.of(caller);
      const webhookIds = owned.map(({ webhookId }) => webhookId);
      // The standard requires `webhookIds` and defines `webhooks`: both are there.
      return { status: 200, json: { count: owned.length, webhookIds, webhooks: owned } };
    }
    case 'POST webhooks':
      return { status: 201, json: webhooks.add(caller, request) };
    case 'DELETE webhooks/:id':
      webhooks.remove(caller, id as string);
      return { status: 204 };
    default:
      return null;
  }
}

function flow(stored: StoredFlow, { query, headers }: Request, { missing, negotiation }: Settings): Reply {
  const docType = query.get('docType') ?? 'Metadata';
  if (docType !== 'Metadata' && !docTypes.includes(docType as DocType)) {
    throw new HttpError(400, 'INVALID_REQUEST', 'docType has no such value');
  }
  const accepted = (headers.accept ?? '*/*').split(',').map((one) => one.split(';')[0]?.trim());
  const isJson = docType === 'Metadata' || (negotiation === 'accept' && accepted[0] === 'application/json');
  const type = isJson ? 'application/json' : 'application/octet-stream';
  if (!accepted.some((one) => one === '*/*' || one === 'application/*' || one === type)) {
    throw new HttpError(400, 'NOT_ACCEPTABLE', `this docType is ${type}`);
  }
  if (isJson) return { status: 200, json: toldOf(stored) };
  const file = missing.includes(docType as DocType) ? undefined : stored.documents[docType as DocType];
  if (!file) throw new HttpError(404, 'MISSING_RESOURCE', `the flow has no document ${docType}`);
  const disposition = `attachment;filename="${file.name.replace(/[^\w.-]/g, '_')}"`;
  return { status: 200, bytes: file.bytes, headers: { 'content-disposition': disposition } };
}

function submit(service: FlowService, caller: Caller, request: Request): Reply {
  const { flowInfo, file } = submissionOf(request);
  const { name, flowSyntax, processingRule, flowProfile = 'Undefined', trackingId } = flowInfo;
  const flows = service.ledger.of(caller.organization);
  const subject = flowSyntax === 'CDAR' ? subjectOf(file.toString('utf8')) : null;
  if (subject) refuseByRule(flows, subject, processingRule);
  const verdict = verdictOf(service, flows, { caller, flowInfo, file });
  const { flow: added } = service.ledger.add({
    organization: caller.organization,
    facts: null,
    documents: { Original: { name, bytes: file } },
    flow: {
      name,
      flowSyntax,
      flowProfile,
      ...(trackingId === undefined ? {} : { trackingId }),
      processingRule: processingRule ?? 'B2B',
      processingRuleSource: processingRule === undefined ? 'Computed' : 'Input',
      flowType: flowSyntax === 'CDAR' ? 'SupplierInvoiceLC' : 'CustomerInvoice',
      flowDirection: 'Out',
      acknowledgement: { status: 'Pending' },
    },
  });
  const { flowId, submittedAt } = added;
  service.received.push({ ...caller, flowId, flowInfo, file, subject, verdict });
  if (service.received.length > maxReceived) service.received.shift();
  service.settle(flowId);
  return { status: 202, json: { ...flowInfo, flowId, submittedAt } };
}

/** International invoices are reported, not processed: of their life cycle the platform takes payments alone. */
function refuseByRule(flows: StoredFlow[], { number, status }: Subject, rule: string | undefined): void {
  const invoice = flows.find(({ facts }) => facts?.number === number);
  if ((rule === 'B2BInt' || invoice?.flow.processingRule === 'B2BInt') && !isPayment(status)) {
    throw new HttpError(400, 'INVALID_PROCESSING_RULE', 'of an invoice of rule B2BInt only payments are sent');
  }
}

function verdictOf(
  { received, rejections }: FlowService,
  flows: StoredFlow[],
  { caller, flowInfo, file }: { caller: Caller; flowInfo: FlowInfo; file: Buffer },
): Acknowledgement {
  const { trackingId, sha256, flowSyntax } = flowInfo;
  const details: Detail[] = [];
  const add = (reasonCode: string, item: string, reasonMessage: string) =>
    details.push({ level: 'Error', item, reasonCode, reasonMessage });
  if (file.length === 0) add('EmptyFlow', 'file', 'the file is empty');
  if (sha256 !== undefined && sha256 !== createHash('sha256').update(file).digest('hex')) {
    add('ChecksumMismatch', 'sha256', 'the file has another SHA-256');
  }
  if (trackingId !== undefined && flows.some(({ flow: { trackingId: taken } }) => taken === trackingId)) {
    add('AlreadyExistingFlow', 'trackingId', 'a flow with this trackingId was sent');
  }
  const rejection = rejections.find(({ match = '', times = 1 }) => times > 0 && file.includes(match));
  if (rejection) {
    const { reasonCode, item = 'flow', reasonMessage = 'this refusal was asked for', times } = rejection;
    add(reasonCode, item, reasonMessage);
    if (times !== undefined) rejection.times = times - 1;
  }
  if (details.length === 0 && flowSyntax === 'CDAR') {
    const taken = received.filter((one) => one.organization === caller.organization && one.verdict.status === 'Ok');
    details.push(
      ...cdarFaults(
        file.toString('utf8'),
        flows,
        taken.flatMap(({ subject }) => subject ?? []),
      ),
    );
  }
  const status = details.some(({ level }) => level === 'Error') ? 'Error' : 'Ok';
  return details.length === 0 ? { status } : { status, details };
}
