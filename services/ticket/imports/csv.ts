import { withoutApostrophe } from '@app/http/sheet-file';
import { ValidationError } from '@app/kernel';
import { CsvError, parse } from 'csv-parse/sync';

/** The columns of a file as its first line names them, and its rows; `line` is where a row begins, from 1. */
export type Csv = { columns: string[]; rows: CsvRow[] };
export type CsvRow = { line: number; cells: Map<string, string> };

export const maxRows = 5_000;
/** Each row changes a ticket with its history, list keys and events, all in one transaction and within the time of a request. */
export const maxTicketRows = 2_000;
const maxRowLength = 100_000;
type Parsed = { info: { lines: number }; record: string[] };

/**
 * Reads comma- or semicolon-separated values with names of columns in the first line. Cells are trimmed, and lose the apostrophe that a download puts
 * before a formula; ends of lines are `\n` in them, too; empty rows are left out.
 * @throws ValidationError naming `csv`
 */
export function readCsv(text: string, most = maxRows): Csv {
  const [first, ...others] = parsed(text);
  if (!first || others.length === 0) throw csvFault('has no rows below a line with the names of its columns');
  if (others.length > most) throw csvFault(`has more than ${most} rows`);
  const columns = first.record;
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw csvFault(`has the column “${shortened(twice)}” twice`);
  const rows = others.map(({ info, record }) => {
    const cells = new Map(record.map((cell, index) => [columns[index] as string, cell]));
    return { line: info.lines - linesWithin(record), cells };
  });
  return { columns, rows };
}

export function csvFault(what: string): ValidationError {
  return new ValidationError([{ path: 'csv', message: `csv ${what}` }]);
}

const longestShown = 200;

/** A cell as it is shown. */
export function shortened(text: string): string {
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

function parsed(text: string): Parsed[] {
  // Of `\r\n` within a cell the parser counts two lines.
  const lines = text.replaceAll(/\r\n?/g, '\n');
  const [head = ''] = lines.split('\n', 1);
  const count = (mark: string) => head.split(mark).length;
  try {
    const found: unknown = parse(lines, {
      bom: true,
      cast: withoutApostrophe,
      delimiter: count(';') > count(',') ? ';' : ',',
      info: true,
      max_record_size: maxRowLength,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      to: maxRows + 2,
      trim: true,
    });
    return found as Parsed[];
  } catch (error) {
    if (error instanceof CsvError) throw csvFault(`line ${error['lines']} ${faults[error.code] ?? 'is not CSV'}`);
    throw error;
  }
}

const faults: Partial<Record<CsvError['code'], string>> = {
  CSV_MAX_RECORD_SIZE: `has more than ${maxRowLength} characters`,
  CSV_QUOTE_NOT_CLOSED: 'has a quotation mark that is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'has text behind a closing quotation mark',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'has text behind a closing quotation mark',
  INVALID_OPENING_QUOTE: 'has a quotation mark within a cell: put the cell into quotation marks, and double this one',
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'has not as many cells as the first line',
};

function linesWithin(record: string[]): number {
  return record.reduce((lines, cell) => lines + cell.split('\n').length - 1, 0);
}
