import { answer, type Route, route, sendVersion } from '@app/http';
import { newId } from '@app/kernel';
import Joi from 'joi';
import { type UploadDeps, uploadErrors, withUpload } from '../http/with-upload.ts';
import { reportResponse } from '../reading/ticket-response.ts';
import { reportSchema } from '../reading/ticket-schemas.ts';
import type { Actor, Report, StoredFile, Ticket } from '../tickets/ticket.ts';
import {
  changeAs,
  changeErrors,
  onTicket,
  type TicketDeps,
  type TicketParams,
  ticketPath,
} from '../tickets/ticket-route-base.ts';
import { addReport } from './reports.ts';

export function reportRoutes(deps: TicketDeps & UploadDeps): Route[] {
  return [
    route<TicketParams, object, object, Ticket>({
      ...onTicket(deps),
      method: 'post',
      path: `${ticketPath}/reports`,
      tag: 'Reports',
      summary: 'Add an intervention report',
      versioned: true,
      errors: [...changeErrors, ...uploadErrors, '422 ticket_too_many'],
      multipart: Joi.object({ file: Joi.any().required().description('PDF, PNG or JPEG of at most 20 MB') }),
      reply: { status: 201, schema: answer({ report: reportSchema }) },
      handle: ({ resource: found, caller, precondition, write, req, res }) =>
        withUpload(deps, { req, res, fields: Joi.object({}).unknown(), options: { write } }, async ({ file, keep }) => {
          const input = { _id: newId(deps.now()), file: file as StoredFile };
          const add = (ticket: Ticket, actor: Actor, now: Date) => addReport(ticket, actor, now, input);
          const details = ({ reports }: Ticket) => ({ about: reports.at(-1)?._id ?? null, text: input.file.name });
          const log = { operation: 'add_report', details } as const;
          const change = { ticket: found, caller, precondition, write };
          const after = await changeAs(deps, change, add, { alongside: keep, log });
          sendVersion(res, after.version);
          // The last one, not the one with this id: the ticket may be as an earlier attempt at this request saved it.
          return { report: reportResponse(after.reports.at(-1) as Report) };
        }),
    }),
  ];
}
