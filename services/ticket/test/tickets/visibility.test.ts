import type { NewEvent } from '@app/contracts';
import { newId } from '@app/kernel';
import { documentAdded, type TicketDocument } from '../../documents/document.ts';
import * as moves from '../../moves/moves.ts';
import { noteAdded } from '../../notes/note.ts';
import { purchaseFileAdded } from '../../purchases/purchase-file-document.ts';
import { addReport } from '../../reports/reports.ts';
import type { Ticket } from '../../tickets/ticket.ts';
import { aContractor, at, client, clientId, user, worked } from './fixtures.ts';

const contractor = aContractor();
const standing = worked('opened', contractor);
const removed = moves.remove(standing, client, at, undefined).ticket;
const file = { key: 'key', name: 'a.pdf', type: 'application/pdf', size: 12, hash: 'a'.repeat(64) };
const document: TicketDocument = {
  _id: newId(),
  ticket_id: standing._id,
  company_id: clientId,
  kind: 'document',
  visibility: 'shared',
  added_at: at,
  file,
};
const order: TicketDocument = { ...document, kind: 'purchase_order', supplier_company_id: contractor.companyId };

const shared: [string, (ticket: Ticket) => NewEvent | undefined][] = [
  ['a note', (ticket) => noteAdded(ticket, { text: 'x', type: 'public', author: user }, at)],
  ['a document', (ticket) => documentAdded(ticket, document)],
  ['the file of an order', (ticket) => purchaseFileAdded(ticket, order)],
];

test.each(shared)(
  '%s of the client is published to its contractor, and no longer once the ticket is removed',
  (_what, add) => {
    expect(add(standing)?.data).toMatchObject({ audience: [clientId, contractor.companyId] });
    expect(add(removed)?.data).toMatchObject({ audience: [clientId] });
  },
);

test('a report of the client is published to its contractor, and is refused once the ticket is removed', () => {
  const add = (ticket: Ticket) => addReport(ticket, client, at, { _id: newId(), file });
  expect(add(standing).events).toMatchObject([{ data: { audience: [clientId, contractor.companyId] } }]);
  expect(() => add(removed)).toThrow('add_report is not possible while the ticket is removed');
});
