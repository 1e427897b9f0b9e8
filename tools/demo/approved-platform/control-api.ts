import { type Faults, faultOf } from '../fake-server/faults.ts';
import {
  missing,
  parseJsonBody,
  pathSegments,
  type Reply,
  type Request,
  required,
} from '../fake-server/http-server.ts';
import type { AddedInvoice, AddedLifeCycle, Control, Received } from './control.ts';

type Body = Record<string, unknown>;

/** The control API (README.md): plays the platform by HTTP. Null for an unknown path. */
export async function handleControl(
  { control, faults }: { control: Control; faults: Faults },
  request: Request,
): Promise<Reply | null> {
  const [, resource, id] = pathSegments(request);
  const body = parseJsonBody(request);
  const done = { status: 204 };
  switch (`${request.method} ${resource}${id === undefined ? '' : '/:id'}`) {
    case 'POST clients':
      control.setClient({
        ...body,
        clientId: required(body['clientId'], 'clientId'),
        clientSecret: required(body['clientSecret'], 'clientSecret'),
      });
      return done;
    case 'POST settings':
      control.set(body);
      return done;
    case 'DELETE tokens':
      control.revokeTokens(request.query.get('clientId') ?? undefined);
      return done;
    case 'POST directory':
      control.addToDirectory(body);
      return done;
    case 'POST invoices':
      return { status: 201, json: await control.addInvoice(invoiceOf(body)) };
    case 'POST life-cycles':
      return { status: 201, json: await control.addLifeCycle(lifeCycleOf(body)) };
    case 'POST flows/:id':
      return { status: 200, json: await control.change(id as string, body) };
    case 'POST acknowledgements':
      return { status: 200, json: await control.settle(required(body['flowId'], 'flowId'), body['notify'] as boolean) };
    case 'POST callbacks': {
      const { flowIds, ...delivery } = body;
      if (!Array.isArray(flowIds)) throw missing('flowIds');
      return { status: 200, json: { callbacks: await control.send(flowIds.map(String), delivery) } };
    }
    case 'POST rejections':
      control.reject({ ...body, reasonCode: required(body['reasonCode'], 'reasonCode') });
      return done;
    case 'POST faults':
      faults.add(faultOf(body));
      return done;
    case 'DELETE faults':
      faults.clear();
      return done;
    case 'GET received':
      return { status: 200, json: receivedOf(control.received()) };
    default:
      return null;
  }
}

function invoiceOf({ document, ...body }: Body): AddedInvoice {
  const organization = required(body['organization'], 'organization');
  if (document === undefined) return { ...body, organization };
  const { base64, syntax, ...rest } = document as Body;
  const bytes = Buffer.from(required(base64, 'document.base64'), 'base64');
  return { ...body, organization, document: { ...rest, syntax: required(syntax, 'document.syntax'), bytes } };
}

function lifeCycleOf(body: Body): AddedLifeCycle {
  return {
    ...body,
    organization: required(body['organization'], 'organization'),
    invoiceFlowId: required(body['invoiceFlowId'], 'invoiceFlowId'),
    status: required(body['status'], 'status'),
  };
}

/** Files as texts: a life-cycle message is one. */
function receivedOf({ flows, ...rest }: Received) {
  return { ...rest, flows: flows.map((one) => ({ ...one, file: one.file.toString('utf8') })) };
}
