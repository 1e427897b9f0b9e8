import { HttpError, type Request } from '../../fake-server/http-server.ts';
import { processingRules, profiles, syntaxes } from '../flow.ts';

export type FlowInfo = {
  name: string;
  flowSyntax: string;
  trackingId?: string;
  processingRule?: string;
  flowProfile?: string;
  sha256?: string;
};

export type Submission = { flowInfo: FlowInfo; file: Buffer };

const maxFileBytes = 100_000_000;

const checks: Record<string, (value: string) => boolean> = {
  name: (value) => value.length <= 255,
  trackingId: (value) => value.length <= 64,
  flowSyntax: (value) => syntaxes.includes(value),
  flowProfile: (value) => profiles.includes(value),
  processingRule: (value) => processingRules.includes(value),
  sha256: (value) => /^[a-f0-9]{64}$/.test(value),
};

/**
 * The two parts of `POST flows`, read as strictly as servers do: a part with a file name is a file, one without is a field.
 * @throws HttpError 400 unless both are there and `flowInfo` is as the standard has it; 413 if the file has more than 100 MB
 */
export function submissionOf({ headers, body }: Request): Submission {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) throw invalid('the body is multipart/form-data');
  const parts = partsOf(body, `--${boundary}`);
  const field = parts.find(({ head }) => /name="flowInfo"/.test(head) && !/filename=/.test(head));
  const file = parts.find(({ head }) => /name="file"/.test(head) && /filename=/.test(head));
  if (!field) throw invalid('flowInfo, a field, is required', 'MISSING_REQUIRED_FIELD');
  if (!file) throw invalid('file, a file, is required', 'MISSING_REQUIRED_FIELD');
  if (file.content.length > maxFileBytes) throw new HttpError(413, 'FILE_SIZE_EXCEEDED', 'the file has over 100 MB');
  return { flowInfo: flowInfoOf(field.content.toString('utf8')), file: file.content };
}

function partsOf(body: Buffer, delimiter: string): { head: string; content: Buffer }[] {
  const parts: { head: string; content: Buffer }[] = [];
  let from = body.indexOf(delimiter);
  while (from >= 0) {
    const start = from + delimiter.length + 2;
    const end = body.indexOf(`\r\n${delimiter}`, start);
    const blank = body.indexOf('\r\n\r\n', start);
    if (end < 0 || blank < 0 || blank > end) break;
    parts.push({ head: body.subarray(start, blank).toString('utf8'), content: body.subarray(blank + 4, end) });
    from = end + 2;
  }
  return parts;
}

function flowInfoOf(json: string): FlowInfo {
  const info = parsed(json);
  for (const name of ['name', 'flowSyntax'])
    if (info[name] === undefined) throw invalid(`flowInfo.${name} is required`, 'MISSING_REQUIRED_FIELD');
  for (const [name, isValid] of Object.entries(checks)) {
    const value = info[name];
    if (value !== undefined && !(typeof value === 'string' && isValid(value)))
      throw invalid(`flowInfo.${name} has no such value`);
  }
  return info as FlowInfo;
}

function parsed(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The error below covers JSON of another type as well.
  }
  throw invalid('flowInfo is a JSON object');
}

function invalid(message: string, code = 'INVALID_REQUEST'): HttpError {
  return new HttpError(400, code, message);
}
