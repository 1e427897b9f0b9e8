import { AppError } from '@app/kernel';

/** A document that is not read at all: hostile, broken, or no e-invoice. */
export function refused(message: string): AppError {
  return new AppError('invalid', 'document_refused', message);
}

/** An e-invoice whose facts are missing or wrong; the sentence says which, and where. */
export function unmappable(message: string): AppError {
  return new AppError('invalid', 'unmappable', message);
}
