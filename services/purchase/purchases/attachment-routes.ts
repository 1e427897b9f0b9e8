import { answer, bearerToken, type Route, route, sendVersion } from '@app/http';
import { newId } from '@app/kernel';
import type { PendingUploads } from '@app/storage';
import Joi from 'joi';
import type { TicketClient } from '../tickets/ticket-client.ts';
import { permitWrite } from '../tickets/ticket-context.ts';
import { type Purchase, type PurchaseFile, permitBuyer, purchaseResponse, purchaseSnapshot } from './purchase.ts';
import {
  type Found,
  onPurchase,
  type PurchaseParams,
  purchaseErrors,
  purchaseSchema,
  purchasesPath,
} from './purchase-route-base.ts';
import { attach } from './purchase-rules.ts';
import type { PurchaseStore } from './purchase-store.ts';

type Deps = { tickets: TicketClient; purchases: PurchaseStore; uploads: PendingUploads; now: () => Date };

/** The error codes of this API for files. */
const codes = {
  required: 'purchase_file_required',
  tooLarge: 'purchase_file_limit_file_size',
  type: 'purchase_file_type',
} as const;

/** Attaches a file, which is streamed into the storage, and checked and hashed on the way. */
export function attachmentRoutes(deps: Deps): Route[] {
  const { tickets, purchases, uploads, now } = deps;
  return [
    route<PurchaseParams, object, object, Found>({
      ...onPurchase(deps),
      method: 'post',
      path: `${purchasesPath}/:purchase_id/document`,
      summary: 'Attach a file',
      description:
        'It takes the place of the file before, and is added to the Documents tab of the ticket. The file of a purchase order is shared with the supplier.',
      multipart: Joi.object({ file: Joi.any().required().description('PDF, PNG or JPEG of at most 20 MB') }),
      errors: [
        ...purchaseErrors,
        `400 ${codes.required}`,
        `413 ${codes.tooLarge}`,
        `415 ${codes.type}`,
        '502 storage_unavailable',
      ],
      reply: { status: 200, schema: answer({ purchase: purchaseSchema }) },
      versioned: true,
      async handle({ params, resource: { context, purchase }, caller, precondition, write, req, res }) {
        // Checked before the upload, which may be 20 MB.
        permitBuyer(purchase, caller.companyId);
        permitWrite(context);
        precondition?.(purchase.version);
        const upload = await uploads.receive(req, res, { codes, write });
        try {
          // Checked again, as an upload may take minutes, in which the ticket may have changed.
          permitWrite(await tickets.context(params.ticket_id, bearerToken(req)));
          const at = now();
          const attached = { id: newId(at), file: upload.file as PurchaseFile };
          const decide = (current: Purchase) => {
            precondition?.(current.version);
            return attach(current, attached, { by: caller.userId, at });
          };
          const { purchase: after, document } = await purchases.change(purchase, decide, {
            write,
            alongside: (session) => upload.keep(session),
          });
          await tickets.pushSnapshot({ purchase: purchaseSnapshot(after), document }, bearerToken(req));
          sendVersion(res, after.version);
          return { purchase: purchaseResponse(after, true) };
        } catch (error) {
          await upload.discard();
          throw error;
        }
      },
    }),
  ];
}
