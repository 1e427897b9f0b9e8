import { type Body, type Operations, textOf } from '../fake-server/admin.ts';
import { missing, required } from '../fake-server/http-server.ts';
import type { AddedInvoice, Control, Received } from './control.ts';

/** The admin API (README.md): plays the platform by HTTP. */
export function adminOperations(control: Control): Operations {
  return {
    'POST clients': (body) =>
      control.setClient({ ...body, clientId: textOf(body, 'clientId'), clientSecret: textOf(body, 'clientSecret') }),
    'POST settings': (body) => control.set(body),
    'DELETE tokens': () => control.revokeTokens(),
    'POST directory': (body) => control.addToDirectory(body),
    'POST invoices': (body) => control.addInvoice(invoiceOf(body)),
    'POST life-cycles': (body) =>
      control.addLifeCycle({
        ...body,
        organization: textOf(body, 'organization'),
        invoiceFlowId: textOf(body, 'invoiceFlowId'),
        status: textOf(body, 'status'),
      }),
    'POST flows/:id': (body, { id }) => control.change(id, body),
    'POST flows/:id/settle': (body, { id }) => control.settle(id, body['notify'] as boolean | undefined),
    'POST callbacks': async ({ flowIds, ...delivery }) => {
      if (!Array.isArray(flowIds)) throw missing('flowIds');
      return { callbacks: await control.send(flowIds.map(String), delivery) };
    },
    'POST rejections': (body) => control.reject({ ...body, reasonCode: textOf(body, 'reasonCode') }),
    'GET received': () => receivedOf(control.received()),
  };
}

function invoiceOf({ document, ...body }: Body): AddedInvoice {
  const organization = textOf(body, 'organization');
  if (document === undefined) return { ...body, organization };
  const { base64, ...rest } = document as Body;
  const bytes = Buffer.from(required(base64, 'document.base64'), 'base64');
  return { ...body, organization, document: { ...rest, syntax: textOf(rest, 'syntax'), bytes } };
}

/** Files as texts: a life-cycle message is one. */
function receivedOf({ flows, ...rest }: Received) {
  return { ...rest, flows: flows.map((one) => ({ ...one, file: one.file.toString('utf8') })) };
}
