export { filterParameters, flag, sortParameters } from './list-parameters.ts';
export { countRows, listRoutes } from './list-routes.ts';
export {
  assertSheetHolds,
  maxSheetRows,
  type SheetQuery,
  sendSheet,
  sheetParameters,
  sheetTypes,
} from './send-sheet.ts';
