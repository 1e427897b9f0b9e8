import { type MailServer, startMailServer } from '@app/testing';
import { mailServerOf } from '../../config.ts';
import { createMailClient } from '../../mail/mail-client.ts';

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server.close());

const mail = { id: 'one', to: ['somebody@example.com'], subject: 'Évènement', text: 'Voilà : l’été\n' };

test('an e-mail arrives as it was written, from the sender of the settings', async () => {
  const client = createMailClient({ url: server.url, from: 'Us <us@example.com>' });
  await client.send(mail);
  const sent = server.sentTo('somebody@example.com');
  expect(sent).toMatchObject([
    { from: 'us@example.com', to: mail.to, subject: mail.subject, text: expect.any(String) },
  ]);
  expect(sent[0]?.text.trim()).toBe(mail.text.trim());
  client.close();
});

test.each([
  ['a status for now', 451, false],
  ['a status for good', 550, true],
])('whether another try makes sense is said for %s', async (_, status, final) => {
  const client = createMailClient({ url: server.url, from: 'us@example.com' });
  server.refuse(status);
  await expect(client.send(mail)).rejects.toMatchObject({ final, message: `EENVELOPE ${status}` });
  server.refuse(null);
  client.close();
});

test('a server that is away may be back', async () => {
  const gone = await startMailServer();
  await gone.close();
  const client = createMailClient({ url: gone.url, from: 'us@example.com' });
  await expect(client.send(mail)).rejects.toMatchObject({ final: false });
  client.close();
});

test.each([
  ['none without a server', {}, null],
  ['at the host of the API', {}, 'accounts@ts.example.com'],
  ['that of the settings', { SMTP_FROM: 'Us <us@example.com>' }, 'Us <us@example.com>'],
])('the sender is %s', (_, settings, from) => {
  const url = from === null ? {} : { SMTP_URL: 'smtp://mail.example.com' };
  const api = { PUBLIC_TS_API_URL: 'https://ts.example.com' };
  expect(mailServerOf({ ...api, ...settings, ...url })?.from ?? null).toBe(from);
});
