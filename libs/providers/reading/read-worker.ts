import { AppError } from '@app/kernel';
import { serveTasks } from '@app/runtime/workers';
import { type Format, formats } from '../formats.ts';

/** The program of the workers of invoice-reader.ts: reads one payload after the other. */
export type Task = { format: Format; raw: Uint8Array; document: Uint8Array | null };

/** `json`: what was read. `refused`: the payload will never be readable. `failed`: an error of our own, with its stack. */
export type Outcome = { json: string } | { refused: { code: string; message: string } } | { failed: string };

/**
 * The longest JSON of an invoice, since a page of the queue holds 200 invoices. An invoice of 3,000
 * lines has half of it.
 */
const maxCharacters = 1024 * 1024;

function read({ format, raw, document }: Task): Outcome {
  try {
    const json = JSON.stringify(formats[format](bufferOf(raw), document && bufferOf(document)));
    if (json.length <= maxCharacters) return { json };
    return { refused: { code: 'unmappable', message: 'it has more lines and texts than are kept of an invoice' } };
  } catch (error) {
    if (error instanceof AppError) return { refused: { code: error.code, message: error.message } };
    // Nested deeper than the stack, or longer than the longest string or buffer.
    if (error instanceof RangeError)
      return { refused: { code: 'document_refused', message: 'the document is too large or too deep' } };
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

serveTasks(read);
