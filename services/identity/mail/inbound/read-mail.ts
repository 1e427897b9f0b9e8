import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { replyText } from './reply-text.ts';

export type AttachedFile = { name: string; type: string; content: Uint8Array };

/** What matters of an e-mail that came in. */
export type InboundContent = {
  /** The address in `From`, lower case; null without one. */
  from: string | null;
  /** Written by a program, or to many people: it is never answered. */
  isAutomatic: boolean;
  /** It reports that an e-mail of ours was not delivered, for good. */
  isBounce: boolean;
  /** The person's own words. */
  text: string;
  files: AttachedFile[];
};

/** Far beyond what mail programs write. */
const limits = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024, maxRfc822NestingDepth: 0 };
/** Pictures of signatures, such as logos, are smaller; photos larger. */
const minInlineBytes = 16 * 1024;

/** @throws Error if it is nested more deeply than any mail program does */
export async function readMail(raw: Uint8Array): Promise<InboundContent> {
  const email = await PostalMime.parse(raw, limits);
  const { from, attachments } = email;
  return {
    from: from?.address?.toLowerCase() ?? null,
    isAutomatic: isAutomatic(email),
    isBounce: attachments.some(isFailure),
    text: replyText(email.text ?? (await textOfHtml(email.html ?? ''))),
    files: attachments.filter(isFile).map(fileOf),
  };
}

/** RFC 3834, and what was usual before it. */
function isAutomatic({ headers, returnPath }: Email): boolean {
  const value = (name: string) =>
    headers
      .find(({ key }) => key === name)
      ?.value.trim()
      .toLowerCase();
  const submitted = value('auto-submitted');
  return (
    (submitted !== undefined && submitted !== 'no') ||
    ['bulk', 'junk', 'list', 'auto_reply'].includes(value('precedence') ?? '') ||
    ['x-auto-response-suppress', 'x-autoreply', 'x-autorespond', 'list-id'].some((name) => value(name) !== undefined) ||
    (value('return-path') ?? returnPath) === '<>'
  );
}

/** RFC 3464. A delay is no failure: the server tries again. */
function isFailure({ mimeType, content }: Attachment): boolean {
  if (mimeType !== 'message/delivery-status') return false;
  return /^action:\s*failed/im.test(Buffer.from(bytesOf(content)).toString('latin1'));
}

function isFile({ mimeType, related, content }: Attachment): boolean {
  if (mimeType.startsWith('message/') || mimeType === 'text/calendar') return false;
  return !related || bytesOf(content).length >= minInlineBytes;
}

function fileOf({ filename, mimeType, content }: Attachment): AttachedFile {
  return { name: filename ?? 'file', type: mimeType, content: bytesOf(content) };
}

function bytesOf(content: Attachment['content']): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
}

/** The parser turns HTML into text where it has to be joined with another part that is plain. */
async function textOfHtml(html: string): Promise<string> {
  const parts = [
    'Content-Type: text/plain\r\n\r\n',
    `Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64Lines(html)}`,
  ];
  const body = parts.map((part) => `--part\r\n${part}\r\n`).join('');
  const { text = '' } = await PostalMime.parse(
    `Content-Type: multipart/mixed; boundary=part\r\n\r\n${body}--part--\r\n`,
  );
  return text;
}

function base64Lines(text: string): string {
  return Buffer.from(text).toString('base64').replaceAll(/.{76}/g, '$&\r\n');
}
