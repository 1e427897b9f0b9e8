export {
  type ExportedRow,
  type ExportSource,
  type ExportSources,
  nestedRows,
  rowsOf,
  singleRow,
} from './export-source.ts';
export { exportSubscription } from './export-subscription.ts';
export { exportedFile } from './file-path.ts';
export { readExportPage } from './read-export-page.ts';
