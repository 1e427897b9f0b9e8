import { locationChanged, type NotificationRaised, notificationRaised, ticketChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, recordEvents, testBroker } from '@app/testing';
import {
  type Client,
  link,
  odd,
  near as otherAmounts,
  quiet,
  read,
  useService,
  type World,
} from '../reconciliation.ts';
import { aTicket, viewOf } from '../snapshots.ts';

const service = useService(quiet);
const [here, elsewhere] = [newId(), newId()];

/** A client with a ticket elsewhere and one here, and an accountant who is limited to what is here. */
let world: World;
let near: ReturnType<typeof aTicket>;
let limited: Client;

beforeEach(async () => {
  world = await service.world({ location_ids: [elsewhere] });
  near = aTicket(world.contractor, { location_ids: [here] });
  await service.settle(ticketChanged, { ticket: near });
  service.fakes.places.splice(0, service.fakes.places.length, here);
  limited = service.as({ companyId: world.id, placeIds: [newId()] });
});

const queued = () => service.ingest(world.id, { amounts: odd });
const linked = async () => {
  const { _id } = await queued();
  expect((await link(world, _id)).status).toBe(200);
  return _id;
};
const idsOf = async (client: Client, path: string) =>
  (await client.call('get', path)).data.items.map(({ id }: { id: string }) => id);
/** How many invoices the counts have, in all states: a linked one moves on by itself. */
const countOf = async (client: Client) =>
  Object.values<number>((await client.call('get', '/invoices/counts')).data.state).reduce((sum, count) => sum + count);
const toNear = () => ({ ticketId: near.id, viewId: viewOf(near) });

test('an invoice on a ticket elsewhere does not exist for a limited accountant', async () => {
  const [id, waiting] = [await linked(), (await queued())._id];
  expect(await idsOf(world.client, '/invoices/search')).toEqual([waiting, id]);
  expect(await idsOf(limited, '/invoices/search')).toEqual([waiting]);
  expect([await countOf(limited), await countOf(world.client)]).toEqual([1, 2]);
  for (const [method, path] of [
    ['get', ''],
    ['get', '/document'],
    ['get', '/candidates'],
    ['post', '/unlink'],
    ['post', '/clear-review'],
    ['post', '/reopen'],
  ] as const) {
    const { status, data } = await limited.call(method, `/invoices/${id}${path}`);
    expect([path, status, data.code]).toEqual([path, 404, 'invoice_not_found']);
  }
  expect((await read(world, id)).ticket).toBe(world.ticket.id);
});

test('figures are of the invoices that a limited accountant sees, and follow a ticket that moves', async () => {
  const owed = async (client: Client) => {
    await service.app.statistics.count();
    const { status, data } = await client.call('get', '/statistics/invoices/payable?group_by=supplier');
    expect(status).toBe(200);
    return data.items.map(({ standing, count, name }: Record<string, unknown>) => [standing, count, name]);
  };
  const { name } = world.contractor;
  await linked();
  await queued();
  const all = [
    ['placed', 1, name],
    ['waiting', 1, name],
  ];
  expect([await owed(limited), await owed(world.client)]).toEqual([all.slice(1), all]);
  await service.settle(ticketChanged, { ticket: { ...world.ticket, version: 2, location_ids: [here, elsewhere] } });
  await eventually(async () => expect(await owed(limited)).toEqual(all));
});

test('one on a ticket here is seen, also once it has a link', async () => {
  const { _id: id } = await queued();
  expect((await limited.call('post', `/invoices/${id}/link`, toNear())).status).toBe(200);
  expect((await limited.call('get', `/invoices/${id}`)).data).toMatchObject({ ticket: near.id });
  expect(await idsOf(limited, '/invoices/search')).toEqual([id]);
  expect(await countOf(limited)).toBe(1);
});

test('who is limited to places is told of a waiting invoice by the places of its ticket, and all above', async () => {
  const broker = await testBroker(service.namespace);
  const raised = await recordEvents<NotificationRaised>(broker, [notificationRaised], 'notifications');
  const [site, region] = [newId(), newId()];
  const none = { reference: null, postal_code: null, facturation_name: null, deleted: false };
  const place = (id: string, parent_id?: string) => {
    const above = parent_id === undefined ? {} : { parent_id };
    return { location: { id, version: 1, client_id: world.id, name: 'Site', ...none, ...above } };
  };
  await service.settle(locationChanged, place(here, site), place(site, region), place(region));
  const content = { number: 'FA-12', amounts: odd };
  const { _id, external_id } = await service.ingest(world.id, content);
  expect((await world.client.call('post', `/invoices/${_id}/link`, toNear())).status).toBe(200);
  await service.ingest(world.id, { ...content, amounts: otherAmounts }, { external_id });
  await service.becomes({ client_id: world.id, external_id }, { state: 'manual_review', ticket_id: near.id });
  const told = () => raised.flatMap(({ data }) => (data.invoice?.id === _id ? [data.to.place_ids] : []));
  await eventually(() => expect(told()).toEqual([null, [here, site, region]]));
  await broker.close();
});

test('tickets elsewhere are neither suggested, found, linked nor told of', async () => {
  const { _id: id } = await queued();
  const candidates = async (client: Client, query = '') =>
    (await client.call('get', `/invoices/${id}/candidates?${query}`)).data.items.map(
      ({ ticketId }: { ticketId: string }) => ticketId,
    );
  const named = `q=${world.ticket.number}`;
  expect(await candidates(world.client, named)).toEqual([world.ticket.id]);
  expect([await candidates(limited, named), await candidates(limited, `q=${near.number}`)]).toEqual([[], [near.id]]);
  expect(await candidates(world.client)).toContain(world.ticket.id);
  expect(await candidates(limited)).not.toContain(world.ticket.id);
  const shown = (await limited.call('get', `/invoices/${id}`)).data;
  expect(JSON.stringify(shown)).not.toContain(world.ticket.id);
  const { status, data } = await limited.call('post', `/invoices/${id}/link`, {
    ticketId: world.ticket.id,
    viewId: viewOf(world.ticket),
  });
  expect([status, data.code]).toEqual([404, 'ticket_not_found']);
});

test('the history of an invoice that was on a ticket elsewhere does not name it', async () => {
  const id = await linked();
  expect((await world.client.call('post', `/invoices/${id}/unlink`)).status).toBe(200);
  expect(JSON.stringify((await read(world, id)).history)).toContain(world.ticket.number);
  const seen = (await limited.call('get', `/invoices/${id}`)).data;
  expect(seen.history.length).toBeGreaterThan(2);
  expect(JSON.stringify(seen)).not.toContain(world.ticket.number);
});

test('an invoice on a ticket elsewhere is nothing to be a duplicate of', async () => {
  const [hidden, { _id: id }] = [await linked(), await queued()];
  const conclude = (client: Client) =>
    client.call('post', `/invoices/${id}/duplicate-of`, { reason: 'sent twice', invoiceId: hidden });
  const refused = await conclude(limited);
  expect([refused.status, refused.data.code]).toEqual([422, 'invalid_duplicate']);
  expect((await conclude(world.client)).status).toBe(200);
});
