import { type Faults, faultOf } from '../fake-server/faults.ts';
import {
  missing,
  parseJsonBody,
  pathSegments,
  type Reply,
  type Request,
  required,
} from '../fake-server/http-server.ts';
import type { AddedInvoice, Control, Received } from './control.ts';

type Body = Record<string, unknown>;
type Deps = { control: Control; faults: Faults };

/** The control API (README.md), by method and path: plays the platform by HTTP. */
const operations: Record<string, (deps: Deps, body: Body, id: string) => unknown> = {
  'POST clients': ({ control }, body) =>
    control.setClient({ ...body, clientId: text(body, 'clientId'), clientSecret: text(body, 'clientSecret') }),
  'POST settings': ({ control }, body) => control.set(body),
  'DELETE tokens': ({ control }) => control.revokeTokens(),
  'POST directory': ({ control }, body) => control.addToDirectory(body),
  'POST invoices': ({ control }, body) => control.addInvoice(invoiceOf(body)),
  'POST life-cycles': ({ control }, body) =>
    control.addLifeCycle({
      ...body,
      organization: text(body, 'organization'),
      invoiceFlowId: text(body, 'invoiceFlowId'),
      status: text(body, 'status'),
    }),
  'POST flows/:id': ({ control }, body, id) => control.change(id, body),
  'POST flows/:id/settle': ({ control }, body, id) => control.settle(id, body['notify'] as boolean | undefined),
  'POST callbacks': async ({ control }, { flowIds, ...delivery }) => {
    if (!Array.isArray(flowIds)) throw missing('flowIds');
    return { callbacks: await control.send(flowIds.map(String), delivery) };
  },
  'POST rejections': ({ control }, body) => control.reject({ ...body, reasonCode: text(body, 'reasonCode') }),
  'POST faults': ({ faults }, body) => faults.add(faultOf(body)),
  'DELETE faults': ({ faults }) => faults.clear(),
  'GET received': ({ control }) => receivedOf(control.received()),
};

/** 204, or 200 with what the operation returns. Null for an unknown path. */
export async function handleControl(deps: Deps, request: Request): Promise<Reply | null> {
  const [, resource, id, ...rest] = pathSegments(request);
  const path = [resource, ...(id === undefined ? [] : [':id']), ...rest].join('/');
  const operation = operations[`${request.method} ${path}`];
  if (!operation) return null;
  const result = await operation(deps, parseJsonBody(request), id ?? '');
  return result === undefined ? { status: 204 } : { status: 200, json: result };
}

function invoiceOf({ document, ...body }: Body): AddedInvoice {
  const organization = text(body, 'organization');
  if (document === undefined) return { ...body, organization };
  const { base64, ...rest } = document as Body;
  const bytes = Buffer.from(required(base64, 'document.base64'), 'base64');
  return { ...body, organization, document: { ...rest, syntax: text(rest, 'syntax'), bytes } };
}

/** Files as texts: a life-cycle message is one. */
function receivedOf({ flows, ...rest }: Received) {
  return { ...rest, flows: flows.map((one) => ({ ...one, file: one.file.toString('utf8') })) };
}

function text(body: Body, name: string): string {
  return required(body[name], name);
}
