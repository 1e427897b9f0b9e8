import { pageById } from '@app/runtime';
import type { ErasePage } from '@app/service/erasure';
import type { Connection } from 'mongoose';
import type { CompanyProjections } from '../companies/company-projection-store.ts';
import { withNames } from '../notes/mention.ts';
import type { Note } from '../notes/note.ts';
import { ticketCollection } from '../tickets/stores/ticket-collection.ts';
import type { UserRef } from '../tickets/ticket.ts';

type Deps = { connection: Connection; projections: Pick<CompanyProjections, 'saveUser'> };

/**
 * Names are in the projection of users and, as they were at the time of an action, in tickets with their history and
 * in notes, as authors and in mentions, all on tickets of the person's company. Those are read by an existing index, so that writes do not pay
 * for another one. By the driver: it goes through whole collections.
 */
export function eraseFromTickets({ connection, projections }: Deps): ErasePage {
  const tickets = ticketCollection(connection);
  const notes = connection.collection<Note>('notes');
  return async (user, after) => {
    if (after === null) await projections.saveUser(user);
    const seen = { filter: { 'views.company_id': user.company_id }, projection: { _id: 1 }, hint: 'view' };
    const { found, next } = await pageById(tickets, after, seen);
    const ids = found.map(({ _id }) => _id);
    // Versions and times stay, since the tickets did not change for their users.
    for (const field of ['created_by', 'validated_by'] as const) {
      await tickets.updateMany(
        { _id: { $in: ids }, [`${field}._id`]: user.id },
        { $set: { [field]: neutralRef(user) } },
      );
    }
    await tickets.updateMany(
      { _id: { $in: ids }, 'history.by._id': user.id },
      { $set: { 'history.$[done].by': neutralRef(user) } },
      { arrayFilters: [{ 'done.by._id': user.id }] },
    );
    await notes.updateMany({ ticket_id: { $in: ids }, 'author._id': user.id }, { $set: { author: neutralRef(user) } });
    const mentioning = { ticket_id: { $in: ids }, note: { $regex: `\\(user:${user.id}\\)` } };
    for await (const { _id, note } of notes.find(mentioning, { projection: { note: 1 } }))
      await notes.updateOne({ _id }, { $set: { note: withNames(note, new Map([[user.id, user]])) } });
    return next;
  };
}

function neutralRef(user: Parameters<ErasePage>[0]): UserRef {
  const { id, first_name, last_name, email, company_id } = user;
  return { _id: id, firstName: first_name, lastName: last_name, email, company_id };
}
