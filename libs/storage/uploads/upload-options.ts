import { AppError, ValidationError } from '@app/kernel';

export type UploadOptions = {
  /** The form field of the file; default `file`. */
  field?: string;
  /** Whether a request without a file fails; default true. */
  required?: boolean;
  /** The largest accepted file, in bytes; default 20 MiB. */
  maxBytes?: number;
  /** Text fields beside the file; default 20. */
  maxFields?: number;
  /** Length of a text field, in bytes; default 64 KiB. */
  maxFieldBytes?: number;
  /** Error codes of an operation that documents its own. */
  codes?: Partial<UploadCodes>;
};
type UploadCodes = {
  /** 413; default `file_too_large`. */
  tooLarge: string;
  /** 415; default `file_type`. */
  type: string;
  /** 400: no file, several, or one in another field; default `file_required`. */
  required: string;
};
export type UploadSettings = Required<Omit<UploadOptions, 'codes'>> & { codes: UploadCodes };

export function withDefaults({ codes, ...options }: UploadOptions): UploadSettings {
  return {
    field: 'file',
    required: true,
    maxBytes: 20 * 1024 * 1024,
    maxFields: 20,
    maxFieldBytes: 64 * 1024,
    ...options,
    codes: { tooLarge: 'file_too_large', type: 'file_type', required: 'file_required', ...codes },
  };
}

export function tooLarge({ codes, maxBytes }: UploadSettings): AppError {
  return new AppError('too_large', codes.tooLarge, `the file is larger than ${maxBytes / 1024 / 1024} MB`);
}

export function unsupportedType({ codes }: UploadSettings): AppError {
  return new AppError('unsupported_type', codes.type, 'the file must be a PDF, PNG or JPEG');
}

export function fileRequired({ codes, field }: UploadSettings): AppError {
  return new AppError('invalid', codes.required, `send exactly one file, in the form field "${field}"`);
}

/** The form is malformed or was cut off. */
export function invalidForm(cause?: unknown): AppError {
  return new AppError('invalid', 'invalid_multipart', 'the multipart/form-data body is malformed or incomplete', {
    cause,
  });
}

/**
 * The parser puts U+FFFD in place of bytes that are not UTF-8, so what has one cannot be stored as it came; nor can half of a
 * surrogate pair, which a field of UTF-16 may hold. A field in an encoding that the parser does not know is no text at all.
 * @throws AppError invalid `invalid_multipart`
 */
export function assertReadable(what: string, ...texts: unknown[]): void {
  if (texts.every((text) => typeof text === 'string' && text.isWellFormed() && !text.includes('\ufffd'))) return;
  throw new AppError('invalid', 'invalid_multipart', `${what} is not UTF-8`);
}

/** The error for what the form parser (multer, busboy) reports. */
export function asUploadError(error: unknown, settings: UploadSettings): unknown {
  if (error instanceof AppError || error instanceof ValidationError) return error;
  const { code, field = '' } = error as { code?: string; field?: string };
  // A file without a file name is parsed as a text field, and is usually too long for one.
  if (code === 'LIMIT_FIELD_VALUE' && field === settings.field) return fileRequired(settings);
  if (code === 'LIMIT_FIELD_VALUE') {
    return new ValidationError([{ path: field, message: `must be at most ${settings.maxFieldBytes} bytes` }]);
  }
  if (code === 'LIMIT_FIELD_NESTING' || code === 'LIMIT_FIELD_KEY') {
    return new ValidationError([{ path: field.slice(0, 200), message: 'is not allowed' }]);
  }
  if (code === 'LIMIT_FIELD_COUNT') {
    return new AppError('invalid', 'invalid_multipart', `at most ${settings.maxFields} text fields are taken`);
  }
  return invalidForm(error);
}
