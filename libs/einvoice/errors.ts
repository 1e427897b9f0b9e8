import { AppError } from '@app/kernel';

/** For a document that cannot be read at all: hostile, broken, or no e-invoice. */
export function refused(message: string): AppError {
  return new AppError('invalid', 'document_refused', message);
}

/** For an e-invoice with a missing or wrong field; the message says which, and where. */
export function unmappable(message: string): AppError {
  return new AppError('invalid', 'unmappable', message);
}
