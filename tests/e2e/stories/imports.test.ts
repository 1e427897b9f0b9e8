import { newCompany, newContractorOf, newTicket, ok } from '../platform.ts';

test('places from a file can be named by tickets, and a contractor’s number from a file is read with it', async () => {
  const client = await newCompany('client');
  const places = {
    kind: 'locations',
    csv: 'reference;name;parent;city\nSUD;Région Sud;;\nMRS;Marseille Prado;SUD;Marseille',
  };
  const { data: seen } = await ok(client.ts('POST /imports/preview', places));
  expect(seen.counts).toEqual({ created: 2, changed: 0, unchanged: 0, faulty: 0 });
  expect((await ok(client.ts('POST /imports', { ...places, preview: seen.preview }))).data).toEqual(seen.counts);
  const { locations } = (await ok(client.api('GET /locations'))).data;
  const ticket = await newTicket(client, { location_ids: [locations[1]._id] });
  const { data } = await ok(client.api(`GET ${ticket}`));
  expect(data.locations).toMatchObject([{ name: 'Marseille Prado', reference: 'MRS', parent_id: locations[0]._id }]);

  const contractor = await newContractorOf(client);
  await ok(client.api('POST /custom-fields', { name: { fr: 'N° fournisseur', en: 'Supplier number' } }));
  const numbers = { kind: 'contractor_fields', csv: `_id,Supplier number\n${contractor.id},S-4711` };
  const { preview } = (await ok(client.ts('POST /imports/preview', numbers))).data;
  await ok(client.ts('POST /imports', { ...numbers, preview }));
  const { fields } = (await ok(client.api(`GET /contractors/${contractor.id}`))).data;
  expect(fields).toMatchObject([{ name: { en: 'Supplier number' }, value: 'S-4711' }]);

  const orders = { kind: 'ticket_fields', csv: `number,Supplier number\n${data.number},PO-7` };
  const seenOrders = (await ok(client.ts('POST /imports/preview', orders))).data;
  await ok(client.ts('POST /imports', { ...orders, preview: seenOrders.preview }));
  expect((await ok(client.api(`GET ${ticket}`))).data.fields).toMatchObject([{ value: 'PO-7' }]);
});
