import type { Caller } from '@app/contracts';
import { AppError, ValidationError } from '@app/kernel';
import type { Request } from 'express';
import type { Route } from '../routing/route.ts';
import { allow } from '../routing/run-route.ts';
import { check, queryOptions } from '../routing/validate.ts';
import { cellOf, type SheetQuery, sheetColumns } from './send-sheet.ts';
import type { SheetTitle } from './sheet-file.ts';

/** `address`: path and query of the download of a list. `places`: see `SheetContext`. */
type Wanted = { address: string; caller: Caller; places?: readonly string[]; after: string | null };
/** The first line of a file that is made in parts; all others are cells, with dates as ISO text. */
export type SheetHead = SheetQuery & { columns: SheetTitle[] };

/**
 * The lines of a part of a download, checked and read as if the caller asked for it now. `req` has no token, so that no other
 * service can be asked in the caller's name. @throws AppError as the download does
 */
export async function readSheetPage(routes: readonly Route[], { address, caller, after, ...more }: Wanted) {
  const { pathname, searchParams } = new URL(address, 'http://list');
  const [found] = routes.flatMap(({ sheet, ...route }) => {
    const found = sheet && new URLPattern({ pathname: route.path }).exec({ pathname });
    return sheet && found ? [{ ...route, sheet, params: found.pathname.groups }] : [];
  });
  if (!found?.query) throw new AppError('not_found', 'not_found', 'there is no list at this address');
  const { access, load, sheet, params } = found;
  allow(access, { kind: 'caller', caller });
  const sent = Object.fromEntries(searchParams);
  const context = { ...more, params, caller, req: { headers: {} } as Request };
  const resource = await load?.({ ...context, query: sent } as never);
  const { value: query, errors } = check<SheetQuery>(found.query, sent, queryOptions);
  if (errors.length > 0) throw new ValidationError(errors);
  const { rows, next } = await sheet.read({ ...context, query, resource } as never, after);
  const { format, language } = query;
  const columns = sheetColumns(sheet.list, language);
  const head: SheetHead = { format, language, columns: columns.map(({ title, type }) => ({ title, type })) };
  const cells = rows.map((row) => columns.map((column) => cellOf(row, column)));
  return { lines: after === null ? [head, ...cells] : cells, next };
}
