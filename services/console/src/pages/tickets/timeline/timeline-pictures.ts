import { call, tickets } from '../../../api/client.ts';
import { isPicture, type Picture } from '../../../components/pictures/picture.ts';
import type { Ticket } from '../list-query.ts';
import type { HistoryItem, TicketDocument } from '../tickets.ts';
import type { Entry } from './timeline-entries.ts';

type FileOfTicket = { name: string; s3_key: string };

/** The pictures that were added to a ticket, by the event that says so, in the order of the timeline. */
export function picturesOf(
  entries: readonly Entry[],
  ticket: Pick<Ticket, '_id' | 'reports'>,
  documents: readonly TicketDocument[],
): Map<HistoryItem, Picture> {
  const found = new Map<HistoryItem, Picture>();
  for (const entry of entries) {
    const file = entry.kind === 'event' ? fileOf(entry.event, ticket, documents) : undefined;
    if (entry.kind === 'event' && file && isPicture(file)) found.set(entry.event, pictureOf(ticket._id, file));
  }
  return found;
}

/** The event of a document has its id; that of a report its time. */
function fileOf(
  { operation, _id, at }: HistoryItem,
  { reports }: Pick<Ticket, 'reports'>,
  documents: readonly TicketDocument[],
): FileOfTicket | undefined {
  if (operation === 'add_document') return documents.find((one) => one._id === _id);
  return operation === 'add_report' ? reports.find(({ added_at }) => added_at === at) : undefined;
}

function pictureOf(ticketId: string, { name, s3_key }: FileOfTicket): Picture {
  const params = { path: { ticket_id: ticketId }, query: { s3_key } };
  return {
    id: s3_key,
    name,
    thumbnail: `/api/v3.0/tickets/${ticketId}/documents/thumbnail?s3_key=${s3_key}`,
    async link(signal) {
      const request = tickets.GET('/api/v3.0/tickets/{ticket_id}/documents/download-link', { params, signal });
      return (await call(request)).download_url;
    },
  };
}
