export { filterParameters, flag, sortParameters } from './list-parameters.ts';
export { listRoutes } from './list-routes.ts';
export {
  assertSheetHolds,
  maxSheetRows,
  rowsOfParts,
  type SheetQuery,
  sendSheet,
  sheetParameters,
  sheetPart,
  sheetStream,
  sheetTypes,
} from './send-sheet.ts';
export { type Cell, sheetTypeOf } from './sheet-file.ts';
export { readSheetPage, type SheetHead } from './sheet-page.ts';
