export { AppError, type ErrorKind, type FieldError, ValidationError } from './errors.ts';
export { isId, newId } from './ids.ts';
export { type CompanyNumber, parseSiret } from './siret.ts';
