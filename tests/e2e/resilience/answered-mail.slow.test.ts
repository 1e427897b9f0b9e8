import { eventually, type MailServer, type Sent, startMailServer } from '@app/testing';
import { plain, withFiles } from '../../../services/identity/test/mail/inbound/mail-programs.ts';
import { startPlatform, type TestPlatform } from '../../setup/platform.ts';
import { caller, type Member, newCompany, newContractorOf, newTicket, newUser, ok, stack } from '../platform.ts';

/** Uses a platform of its own: on one that sends e-mails, invitations have no links. */
const secret = 'the secret of the mail server';
let server: MailServer;
let platform: TestPlatform;
beforeAll(async () => {
  server = await startMailServer();
  platform = await startPlatform('mail', {
    SMTP_URL: server.url,
    SMTP_FROM: 'Facility <facility@example.com>',
    REPLY_DOMAIN: 'reply.example.com',
    MAIL_INBOUND_SECRET: secret,
  });
  process.env['STACK_DIR'] = platform.dir;
});
afterAll(async () => {
  await platform.stop();
  await server.close();
});

const mailTo = ({ email }: Member): Promise<Sent> =>
  eventually(() => {
    expect(server.sentTo(email)).toHaveLength(1);
    return server.sentTo(email)[0] as Sent;
  });
const deliver = (raw: string) =>
  caller(stack().tsApi)('POST /mail/inbound', raw, { 'content-type': 'message/rfc822', 'x-mail-secret': secret });
const pdf = Buffer.from(`%PDF-1.4\n${' '.repeat(49)}%%EOF\n`);

test('a colleague is mentioned, gets an e-mail and answers it with a file: both are on the ticket, seen by those who saw the question', async () => {
  const client = await newCompany('client');
  const contractor = await newContractorOf(client);
  const colleague = await newUser(client.companyId, ['tickets']);
  const ticket = await newTicket(client, { contractor_ids: [contractor.id] });
  const question = `@[Ada Martin](user:${colleague.userId}) is it the pump?`;
  await ok(client.api(`POST ${ticket}/notes`, { note: question, type: 'internal' }));
  const { raw } = await mailTo(colleague);
  const to = /^reply-to: <?(\S+?)>?$/im.exec(raw.replaceAll(/\r\n[ \t]+/g, ' '))?.[1] ?? '';
  const files = [{ name: 'pump.pdf', type: 'application/pdf', content: pdf }];
  const answer = withFiles(
    { from: colleague.email, to },
    `Yes.\r\n\r\nOn 28 Nov 2026, X wrote:\r\n> ${question}`,
    files,
  );
  expect((await deliver(answer)).status).toBe(202);
  const notes = async (of: Member) =>
    (
      (await ok(of.api(`GET ${ticket}/notes`))).data.notes as { note: string; type: string; author: { _id: string } }[]
    ).map(({ note, type, author }) => [note, type, author._id]);
  const documents = async (of: Member) =>
    ((await ok(of.api(`GET ${ticket}/documents`))).data.documents as { name: string }[]).map(({ name }) => name);
  await eventually(async () => expect(await documents(client)).toEqual(['pump.pdf']));
  expect(await notes(client)).toContainEqual(['Yes.', 'internal', colleague.userId]);
  expect(await deliver(answer)).toMatchObject({ status: 202 });
  expect((await caller(stack().tsApi)('POST /mail/inbound', answer, { 'x-mail-secret': 'wrong' })).status).toBe(401);
  // On a ticket that the colleague may not write to any more, the answer says so.
  await ok(client.ts(`PATCH /company/users/${colleague.userId}`, { permissions: ['accounting'] }));
  await deliver(plain({ from: colleague.email, to }, 'Too late.'));
  await eventually(() => expect(server.sentTo(colleague.email)).toHaveLength(2));
  expect(server.sentTo(colleague.email)[1]?.subject).toBe('Your answer was not taken');
  expect((await notes(client)).filter(([, , author]) => author === colleague.userId)).toHaveLength(1);
});
