import { eventually, type Receiver } from '@app/testing';
import Stripe from 'stripe';
import {
  bodiesAt,
  caller,
  newCompany,
  newContractorOf,
  newReceiver,
  newTicket,
  pdfForm,
  stack,
  subscribe,
} from '../platform.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await newReceiver();
});
afterAll(() => receiver.close());

const hour = 3_600_000;
const soon = () => ({ start: Date.now() + hour, end: Date.now() + 2 * hour });

test('two contractors are proposed, one declines, one accepts; the ticket lives to closed and back to opened', async () => {
  const client = await newCompany('client');
  const a = await newContractorOf(client);
  const b = await newContractorOf(client);
  const endpoint = await subscribe(client, receiver, '/client');
  await subscribe(b, receiver, '/b');
  const ticket = await newTicket(client);
  const status = async () => (await client.api(`GET ${ticket}`)).data.status;

  await client.api(`POST ${ticket}/propose`, { contractor_ids: [a.id, b.id] });
  expect((await b.api(`POST ${ticket}/decline`)).data.status).toBe('declined');
  expect(await status()).toBe('proposed');
  expect((await a.api(`POST ${ticket}/accept`)).data.status).toBe('waiting_contractor');
  await a.api(`POST ${ticket}/dates`, { ...soon(), type: 'planned', category: 'visit' });
  await a.api(`POST ${ticket}/dates`, { ...soon(), type: 'actual', category: 'visit' });
  const { quote } = (await a.api(`POST ${ticket}/quotes`, pdfForm({ reference: 'D-1', price: '1234.56' }))).data;
  await client.api(`PUT ${ticket}/quotes/${quote._id}/validate`);
  await a.api(`POST ${ticket}/dates`, { ...soon(), type: 'planned' });
  await a.api(`POST ${ticket}/dates`, { ...soon(), type: 'actual' });
  await a.api(`POST ${ticket}/reports`, pdfForm());
  await a.api(`POST ${ticket}/documents`, pdfForm());
  await client.api(`PUT ${ticket}/close`);
  expect((await client.api(`POST ${ticket}/open`)).data).toMatchObject({ status: 'opened', closed_at: null });

  const path =
    'opened proposed waiting_contractor visit toplan validation validated intervention finished closed opened'.split(
      ' ',
    );
  const expected = path.slice(1).map((to, index) => `${path[index]} ${to}`);
  await eventually(() => {
    const changes = bodiesAt(receiver, '/client').filter(({ event }) => event === 'ticket.status_changed');
    expect(changes.map(({ data }) => Object.values(data['status'] as object).join(' ')).sort()).toEqual(
      [...expected].sort(),
    );
  });
  const { number } = (await client.api(`GET ${ticket}`)).data;
  await eventually(() => {
    const others = bodiesAt(receiver, '/client').filter(({ event }) => event !== 'ticket.status_changed');
    const named = { id: ticket.split('/')[2], number, title: 'Leak' };
    const iso = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(others.sort((x, y) => (x.event < y.event ? -1 : 1)).map(({ event, data }) => [event, data])).toEqual([
      [
        'ticket.document_added',
        {
          ticket: named,
          document: { id: expect.any(String), name: 'devis.pdf', mimetype: 'application/pdf', size: 64, added_at: iso },
        },
      ],
      ['ticket.intervention_date_added', { ticket: named, date: { type: 'intervention', date: iso, duration: 60 } }],
      [
        'ticket.quote_added',
        {
          ticket: named,
          quote: { id: quote._id, reference: 'D-1', amount: 1234.56, includes_vat: false, added_at: iso },
        },
      ],
      ['ticket.report_added', { ticket: named, report: { id: expect.any(String), name: 'devis.pdf', added_at: iso } }],
      ['ticket.visit_date_added', { ticket: named, date: { type: 'visit', date: iso, duration: 60 } }],
    ]);
  });
  // The competitor gets the events of its proposal and its own decline, in any order, and none after.
  await eventually(() => {
    const moves = bodiesAt(receiver, '/b').map(({ data }) => Object.values(data['status'] as object).join(' '));
    expect(moves.sort()).toEqual([' proposed', 'proposed declined']);
  });
  for (const { headers, body } of receiver.at('/client')) {
    const event = Stripe.webhooks.constructEvent(body, String(headers['x-service-signature']), endpoint.secret);
    expect((event as unknown as { event: string }).event).toBe(headers['x-service-event']);
    expect(() => Stripe.webhooks.constructEvent(body, String(headers['x-service-signature']), 'whsec_wrong')).toThrow();
  }
});

test('a file goes through the gateway and comes back by its signed link, by range too', async () => {
  const client = await newCompany('client');
  const ticket = await newTicket(client);
  const size = 20 * 1024 * 1024;
  const added = await client.api(`POST ${ticket}/documents`, pdfForm({ visibility: 'internal' }, size, 'plan été.pdf'));
  expect([added.status, added.data.document]).toEqual([
    201,
    expect.objectContaining({ size, name: 'plan été.pdf', visibility: 'internal' }),
  ]);
  const link = await client.api(`GET ${ticket}/documents/download-link?s3_key=${added.data.document.s3_key}`);
  expect(link.data.download_url.startsWith(`${stack().download}/files/`)).toBe(true);
  const file = await caller('')(`GET ${link.data.download_url}`, undefined, { range: 'bytes=0-7' });
  expect([file.status, file.data]).toEqual([206, '%PDF-1.4']);
  expect(file.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-range': `bytes 0-7/${size}`,
    'x-content-type-options': 'nosniff',
    'content-disposition': expect.stringContaining("filename*=UTF-8''plan%20%C3%A9t%C3%A9.pdf"),
  });
  const beyond = await caller('')(`GET ${link.data.download_url}`, undefined, { range: `bytes=${size}-` });
  expect([beyond.status, beyond.headers['content-range'], beyond.data]).toEqual([
    416,
    `bytes */${size}`,
    {
      error: `the file has ${size} bytes`,
      code: 'range_not_satisfiable',
      doc_url: `${stack().download}/guide/errors#range_not_satisfiable`,
    },
  ]);
  const altered = await caller('')(`GET ${link.data.download_url.slice(0, -3)}abc`);
  expect(altered.status).toBe(404);
  const larger = await client.api(`POST ${ticket}/documents`, pdfForm({}, size + 1));
  expect([larger.status, larger.data.code]).toEqual([413, 'file_too_large']);
});

test('planned dates that pass move the ticket by themselves', async () => {
  const client = await newCompany('client');
  const a = await newContractorOf(client);
  const ticket = await newTicket(client);
  await client.api(`POST ${ticket}/assign`, { contractor_id: a.id });
  const past = { start: Date.now() - 2 * hour, end: Date.now() - hour };
  await client.api(`POST ${ticket}/dates`, { ...past, type: 'planned' });
  await eventually(async () => expect((await client.api(`GET ${ticket}`)).data.status).toBe('intervention_finish'));
});
