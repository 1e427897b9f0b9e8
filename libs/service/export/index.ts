export {
  type ExportedRow,
  type ExportSource,
  type ExportSources,
  exportedFile,
  nestedRows,
  rowsOf,
  singleRow,
} from './export-source.ts';
export { exportSubscription } from './export-subscription.ts';
export { readExportPage } from './read-export-page.ts';
