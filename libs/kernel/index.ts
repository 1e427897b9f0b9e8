export { AppError, type ErrorKind, type FieldError, ValidationError } from './errors.ts';
export { readAccounts, readIban } from './iban.ts';
export { idFrom, isId, newId } from './ids.ts';
export { readIsoDate } from './iso-date.ts';
export { parseJson } from './json.ts';
export {
  type Column,
  columnOf,
  type Given,
  indexFields,
  type List,
  sortColumns,
  valueAt,
} from './lists/list.ts';
export {
  type Condition,
  decodePosition,
  encodePosition,
  type ListQuery,
  listPlan,
  type Plan,
  type Position,
  positionOf,
  type Sort,
  withWords,
} from './lists/list-plan.ts';
export { type Page, readPage } from './read-page.ts';
export { beginningWith, hasAll, nameOrder, searchWords, withPlainDashes, wordsSearched } from './search-words.ts';
export { hasSirenKey, readFrenchVat, readSiren, readSiret, sirenOf } from './siren.ts';
export { parseSiret } from './siret.ts';
export { decodeTimeCursor, encodeTimeCursor, type TimePosition } from './time-cursor.ts';
export { offsetAt } from './time-zone.ts';
export { inLanguage, type Worded } from './words/worded.ts';
