import { AppError } from './errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses JSON that somebody sent. Bytes that are not UTF-8, and halves of surrogate pairs (`"\ud83d"`), are refused: neither can be
 * stored as it came, so the sender would read something else later.
 * @throws AppError invalid `invalid_json`
 */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes);
    return JSON.parse(text, /\\u[dD][89a-fA-F]/.test(text) ? refuseHalves : undefined);
  } catch (cause) {
    const { message, code } = cause as Error & { code?: string };
    const reason = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : message.slice(0, 200);
    throw new AppError('invalid', 'invalid_json', `the body is not valid JSON: ${reason}`, { cause });
  }
}

function refuseHalves(key: string, value: unknown): unknown {
  if (key.isWellFormed() && (typeof value !== 'string' || value.isWellFormed())) return value;
  throw new Error(`${JSON.stringify(key)} has half of a surrogate pair, which is no character`);
}
