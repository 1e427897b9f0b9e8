import { purchaseChanged, ticketAssigned, ticketPurchaseAdded } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import type { FakeTicket } from '../fake-ticket-service.ts';
import type { Client, Purchases } from '../purchase-service.ts';

type Current = { service: Purchases; buyer: Client; ticket: FakeTicket };
type Assigned = { contractor_id: string | null; company_id: string | null };

/** Assigns the ticket of the running test, and reads what follows from it. */
export function assignmentsOf(current: () => Current) {
  /** The ticket is assigned: from now on the ticket service says so, and the event is on its way. */
  async function assign(companyId: string | null, on = current().ticket): Promise<void> {
    on.version += 1;
    on.contractor = companyId === null ? null : { contractor_id: newId(), company_id: companyId };
    await publishAssignment(on.version, companyId, on);
  }

  /** The same for one of the client's directory, who may have no account. */
  async function assignContractor(contractor_id: string, company_id: string | null = null): Promise<void> {
    const { service, ticket } = current();
    ticket.version += 1;
    ticket.contractor = { contractor_id, company_id };
    await service.publish(assignment(ticket.version, ticket.contractor));
  }

  function publishAssignment(version: number, company_id: string | null, on = current().ticket): Promise<void> {
    const contractor_id = company_id === null ? null : (on.contractor?.contractor_id ?? newId());
    return current().service.publish(assignment(version, { contractor_id, company_id }, on));
  }

  function assignment(version: number, assigned: Assigned, on = current().ticket) {
    return ticketAssigned({ ticket_id: on.id, client_id: on.clientId, version, ...assigned }, new Date(), on.id);
  }

  /** Waits until the service has handled the assignment of this version. */
  async function waitForAssignment(version: number, on = current().ticket): Promise<void> {
    const assignments = current().service.connection.collection('assignments');
    await eventually(async () => {
      const stored = await assignments.findOne({ _id: on.id as never });
      expect(stored?.['newest'].version).toBe(version);
    });
  }

  /** Assignments are handled in their order: once the last one of the queue has had its effect, those before it had theirs. */
  async function allHandled(): Promise<void> {
    const { service, buyer } = current();
    const [last, supplier] = [service.tickets.add(buyer.id), newId()];
    const { id } = await create({}, last);
    await assign(supplier, last);
    await eventually(async () => expect(await supplierOf(id)).toBe(supplier));
  }

  const supplierOf = async (id: string) => (await current().service.stored({ _id: id }))[0]?.supplier_company_id;
  const create = async (body: object = {}, on = current().ticket) =>
    (await current().buyer.create(on.id, body)).data.purchase;
  const published = (type: { type: string }) => current().service.published(type);
  const changes = (id: string) => published(purchaseChanged).filter(({ data }) => data.purchase.id === id);
  const versions = (id: string) =>
    changes(id)
      .map(({ data }) => data.purchase.version)
      .sort();
  const additions = (id: string) =>
    published(ticketPurchaseAdded).filter(({ data }) => data.payload.purchase.id === id);

  return {
    assign,
    assignContractor,
    publishAssignment,
    assignment,
    waitForAssignment,
    allHandled,
    supplierOf,
    create,
    changes,
    versions,
    additions,
  };
}
