import { answer, named, type Route, route } from '@app/http';
import Joi from 'joi';
import type { Ticket } from '../tickets/ticket.ts';
import {
  changeErrors,
  onTicket,
  permitAddition,
  type TicketDeps,
  type TicketParams,
  ticketPath,
  userRef,
} from '../tickets/ticket-route-base.ts';
import { isReadable, type NoteType, noteResponse, noteTypes } from './note.ts';
import type { NoteStore } from './note-store.ts';

type Deps = TicketDeps & { notes: NoteStore };
type Body = { note: string; type: NoteType };

const shown = named('Note', {
  _id: Joi.string(),
  note: Joi.string(),
  type: Joi.string().valid(...noteTypes),
  author: answer({ _id: Joi.string(), firstName: Joi.string(), lastName: Joi.string(), company_id: Joi.string() }),
  created_at: Joi.string().isoDate(),
});

/** Reading and writing the notes of a ticket. */
export function noteRoutes({ tickets, notes }: Deps): Route[] {
  const shared = { ...onTicket({ tickets }), path: `${ticketPath}/notes`, tag: 'Notes' } as const;
  return [
    route<TicketParams, object, object, Ticket>({
      ...shared,
      method: 'get',
      summary: 'List notes, oldest first',
      reply: { status: 200, schema: answer({ notes: Joi.array().items(shown) }) },
      async handle({ resource: found, caller }) {
        const all = await notes.list(found._id);
        return { notes: all.filter((note) => isReadable(note, found, caller)).map(noteResponse) };
      },
    }),
    route<TicketParams, object, Body, Ticket>({
      ...shared,
      method: 'post',
      summary: 'Add a note',
      errors: [...changeErrors, '422 ticket_too_many'],
      description:
        '`public` is for both parties, `internal` for your company, `managers` for those who manage the ticket.',
      body: Joi.object<Body>({
        note: Joi.string()
          .max(10_000)
          .pattern(/\S/)
          .messages({ 'string.pattern.base': '{{#label}} must not be blank' })
          .required(),
        type: Joi.string()
          .valid(...noteTypes)
          .required(),
      }),
      reply: { status: 201, schema: answer({ note: shown }) },
      async handle({ resource: found, caller, body, write }) {
        const draft = { text: body.note, type: body.type, author: userRef(caller) };
        const permit = (ticket: Ticket) => permitAddition(ticket, caller, 'add_note');
        const note = await notes.add(found, draft, { write, permit });
        return { note: noteResponse(note) };
      },
    }),
  ];
}
