import { readMail } from '../../../mail/inbound/read-mail.ts';
import { replyText } from '../../../mail/inbound/reply-text.ts';
import { deep, plain, report, samples } from './mail-programs.ts';

const envelope = { from: 'Lea@Acme.test', to: 'reply+x@x.test' };
const read = (mime: string) => readMail(Buffer.from(mime, 'utf8'));

test.each(samples(envelope).map((sample) => [sample.program, sample] as const))(
  'what a person wrote is told from the rest: %s',
  async (_program, { mime, words, files = [] }) => {
    const content = await read(mime);
    expect(content).toMatchObject({ from: 'lea@acme.test', isAutomatic: false, isBounce: false, text: words });
    expect(content.files.map(({ name }) => name)).toEqual(files);
  },
);

test.each([
  'Auto-Submitted: auto-replied',
  'Precedence: bulk',
  'X-Auto-Response-Suppress: All',
  'X-Autoreply: yes',
  'List-Id: <news.acme.test>',
])('what a program wrote is known by %s', async (header) => {
  expect(await read(plain({ ...envelope, headers: [header] }, 'I am away'))).toMatchObject({ isAutomatic: true });
});

test('what a person sent may say that it is not automatic', async () => {
  expect(await read(plain({ ...envelope, headers: ['Auto-Submitted: no'] }, 'Hello'))).toMatchObject({
    isAutomatic: false,
  });
});

test('an empty return path is of a program', async () => {
  const mime = plain(envelope, 'gone').replace('<somebody@elsewhere.test>', '<>');
  expect(await read(mime)).toMatchObject({ isAutomatic: true });
});

test('a report of a failure is one, that of a delay is none', async () => {
  expect(await read(report(envelope, 'failed'))).toMatchObject({ isBounce: true });
  expect(await read(report(envelope, 'delayed'))).toMatchObject({ isBounce: false, isAutomatic: true });
});

test('what is nested too deeply is not read', async () => {
  await expect(read(deep(envelope, 18))).resolves.toMatchObject({ text: 'deep' });
  await expect(read(deep(envelope, 40))).rejects.toThrow();
});

test.each([
  ['nothing but quoted text', '> a\n> b', ''],
  ['a line in the language of the program', 'Ok\n\n-----Message d’origine-----\nDe : x', 'Ok'],
  ['a signature alone', '-- \nLéa', ''],
  ['a header of three lines is quoted, one of two is not', 'From: my desk\nTo: yours', 'From: my desk\nTo: yours'],
])('%s', (_what, text, words) => {
  expect(replyText(text)).toBe(words);
});
