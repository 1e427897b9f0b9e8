export { filterParameters, flag, sortParameters } from './list-parameters.ts';
export { listRoutes } from './list-routes.ts';
export {
  assertSheetHolds,
  type Cell,
  maxSheetRows,
  rowsOfParts,
  type SheetQuery,
  sendSheet,
  sheetFile,
  sheetParameters,
  sheetPart,
  sheetTypeOf,
  sheetTypes,
} from './send-sheet.ts';
export { readSheetPage, type SheetHead } from './sheet-page.ts';
