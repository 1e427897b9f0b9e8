import { newId } from '@app/kernel';
import { runMigrations } from '@app/migrations';
import { ensureIndexes } from '@app/runtime';
import { testDatabase, testLogger } from '@app/testing';
import { type InvoiceRecord, invoiceCollection } from '../../invoices/invoice-collection.ts';
import { migrations } from '../../migrations/index.ts';
import { ticketCollections } from '../../projections/ticket-collections.ts';
import { newTicket } from '../../projections/ticket-projection.ts';
import { anInvoice, canonical } from '../invoices.ts';
import { aContractor, aTicket } from '../snapshots.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.drop());

const run = () => runMigrations({ connection: database.connection, migrations, logger: testLogger() });

test('tickets and invoices of the release before can be found by their words, and newer ones stay as they are', async () => {
  const { tickets } = ticketCollections(database.connection);
  const invoices = invoiceCollection(database.connection);
  await ensureIndexes(database.connection);
  const [{ words: _none, ...old }, newer] = ['Fuite d’eau', 'Porte'].map((title) =>
    newTicket(aTicket(aContractor(newId()), { number: 'T-000042', title })),
  ) as [ReturnType<typeof newTicket>, ReturnType<typeof newTicket>];
  const unknown = { _id: newId(), version: -1, revision: 1 };
  await tickets.insertMany([old, newer, unknown as typeof old]);
  const read = anInvoice({ external_id: 'read', canonical: { ...canonical, number: 'FA-2026-0815' } });
  const unread = anInvoice({ external_id: 'unread', canonical: null });
  const tombstone = { _id: newId(), client_id: newId(), provider: 'sandbox', external_id: 'x', gone_at: new Date() };
  await invoices.insertMany([read, unread, tombstone as never]);

  expect(await run()).toEqual(migrations.map(({ id }) => id));
  expect((await tickets.findOne({ _id: old._id }))?.words).toEqual(
    expect.arrayContaining(['T000042', 'T42', '42', 'FUITE', 'EAU']),
  );
  expect(await tickets.findOne({ _id: newer._id })).toEqual(newer);
  expect((await invoices.findOne({ _id: read._id }))?.words).toEqual(
    expect.arrayContaining(['FA20260815', '20260815', '815', '732829320', 'FROID']),
  );
  expect((await invoices.findOne({ _id: unread._id }))?.words).toEqual([]);
  for (const [collection, _id] of [
    [tickets, unknown._id],
    [invoices, tombstone._id],
  ] as const) {
    expect(await collection.findOne({ _id } as never)).not.toHaveProperty('words');
  }
  expect(await run()).toEqual([]);
});

test('what replicas of the release before wrote while the words came is found after the release that follows', async () => {
  const { tickets } = ticketCollections(database.connection);
  const invoices = invoiceCollection(database.connection);
  await ensureIndexes(database.connection);
  await run();
  const { words: _none, ...created } = newTicket(aTicket(aContractor(newId()), { title: 'Fuite' }));
  const renamed = { ...newTicket(aTicket(aContractor(newId()), { title: 'Porte' })), words: ['FORMER'] };
  await tickets.insertMany([created, renamed]);
  const numbered = { ...canonical, number: 'FA-2026-0815' };
  const { words: _words, ...taken } = anInvoice({ external_id: 'taken', canonical: numbered }) as InvoiceRecord;
  const read = { ...anInvoice({ external_id: 'read', canonical: numbered }), words: [] };
  await invoices.insertMany([taken, read]);

  const again = ['0003-words-of-tickets-again', '0004-words-of-invoices-again'];
  await database.connection.collection('migrations').deleteMany({ _id: { $in: again as never[] } });
  expect(await run()).toEqual(again);
  expect((await tickets.findOne({ _id: created._id }))?.words).toContain('FUITE');
  expect((await tickets.findOne({ _id: renamed._id }))?.words).toEqual(expect.arrayContaining(['PORTE']));
  expect((await tickets.findOne({ _id: renamed._id }))?.words).not.toContain('FORMER');
  for (const { _id } of [taken, read]) expect((await invoices.findOne({ _id }))?.words).toContain('FA20260815');
});
