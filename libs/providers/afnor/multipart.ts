import { randomBytes } from 'node:crypto';

/**
 * The body of `POST /flows`: `flowInfo` as a JSON field, `file` as a file. By hand, because `FormData` gives every part that
 * names its type a file name, and servers then take the field for a file.
 */
export function multipart(flowInfo: { name: string }, file: Buffer): { body: Buffer; headers: Record<string, string> } {
  const boundary = `----flow${randomBytes(18).toString('hex')}`;
  const head = [
    `--${boundary}`,
    'content-disposition: form-data; name="flowInfo"',
    'content-type: application/json',
    '',
    JSON.stringify(flowInfo),
    `--${boundary}`,
    `content-disposition: form-data; name="file"; filename="${flowInfo.name}"`,
    'content-type: application/xml',
    '',
    '',
  ].join('\r\n');
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}
