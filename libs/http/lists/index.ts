export { filterParameters, sortParameters } from './list-parameters.ts';
export { maxSheetRows, type SheetQuery, sendSheet, sheetParameters, sheetTypes } from './send-sheet.ts';
