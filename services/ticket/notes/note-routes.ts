import { oneOf } from '@app/contracts';
import { answer, bearerToken, freeText, named, type Route, route } from '@app/http';
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
import { checkedMentions, type MentionDeps, maxMentions, mentionable } from './mentionable.ts';
import { isReadable, type NoteType, noteResponse, noteTypes } from './note.ts';
import type { NoteStore } from './note-store.ts';

type Deps = TicketDeps & MentionDeps & { notes: NoteStore };
type Body = { note: string; type: NoteType };
type Mentioning = { type: NoteType; q: string };

const noteType = oneOf(noteTypes);

const shown = named('Note', {
  _id: Joi.string(),
  note: Joi.string(),
  type: oneOf(noteTypes),
  author: answer({ _id: Joi.string(), firstName: Joi.string(), lastName: Joi.string(), company_id: Joi.string() }),
  created_at: Joi.string().isoDate(),
});

const mentionableUser = named('MentionableUser', { _id: Joi.string(), firstName: freeText, lastName: freeText });

/** Reading and writing the notes of a ticket. */
export function noteRoutes({ tickets, notes, ...people }: Deps): Route[] {
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
        '`public` is for both parties, `internal` for your company, `managers` for those who manage the ticket. ' +
        `\`note\` mentions people as \`@[First Last](user:<id>)\`: at most ${maxMentions} users of your company who may read it.`,
      body: Joi.object<Body>({
        note: Joi.string()
          .max(10_000)
          .pattern(/\S/)
          .messages({ 'string.pattern.base': '{{#label}} must not be blank' })
          .required(),
        type: noteType.required(),
      }),
      reply: { status: 201, schema: answer({ note: shown }) },
      async handle({ resource: found, caller, body: { note: written, type }, write, req }) {
        const text = await checkedMentions(people, { ticket: found, caller, type, token: bearerToken(req) }, written);
        const draft = { text, type, author: userRef(caller) };
        const permit = (ticket: Ticket) => permitAddition(ticket, caller, 'add_note');
        const note = await notes.add(found, draft, { write, permit });
        return { note: noteResponse(note) };
      },
    }),
    route<TicketParams, Mentioning, object, Ticket>({
      ...shared,
      method: 'get',
      path: `${ticketPath}/mentionable-users`,
      summary: 'Find whom a note may mention',
      description: 'Users of your company who may read a note of this `type`, by name, at most ten.',
      query: Joi.object<Mentioning>({
        type: noteType.required(),
        q: Joi.string().max(100).allow('').default('').description('words of the name, each from its beginning on'),
      }),
      reply: { status: 200, schema: answer({ users: Joi.array().items(mentionableUser) }) },
      async handle({ resource: ticket, caller, query: { type, q } }) {
        const found = await mentionable(people, { ticket, caller, type }, q);
        return {
          users: found.map(({ id, first_name, last_name }) => ({
            _id: id,
            firstName: first_name,
            lastName: last_name,
          })),
        };
      },
    }),
  ];
}
