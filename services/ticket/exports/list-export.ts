import type { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { ExportPageRequested, UserSnapshot } from '@app/contracts';
import { type Cell, type SheetHead, sheetStream, sheetTypeOf } from '@app/http/lists';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import { type CompanyExport, type ExportedList, fileNameOf } from './export.ts';

/** The downloads of lists, and the services that have them. */
const lists: readonly (readonly [download: RegExp, service: string])[] = [
  [/^\/api\/v3\.0\/(tickets|contractors|locations|equipments|jobs|domains|custom-fields)\/export\?/, 'ticket'],
  [/^\/invoice-tickets\/export\?/, 'ticket'],
  [/^\/invoices\/export\?/, 'invoice-reconciliation'],
  [/^\/(audit|company\/users)\/export\?/, 'identity'],
  [/^\/webhooks\/endpoints\/[0-9a-f]{24}\/deliveries\/export\?/, 'webhook-dispatcher'],
];

/** The service that has the list with this download; undefined: there is none. */
export function serviceOf(address: string): string | undefined {
  return lists.find(([download]) => download.test(`${address}?`))?.[1];
}

export function rightsOf({ permissions, place_ids }: UserSnapshot): ExportedList['rights'] {
  return { permissions, ...(place_ids && { place_ids }) };
}

/** What is asked for of a list's export, with the places below those that it names; null if its user may see more or less than at its beginning. */
export type RequestOf = (job: CompanyExport) => Promise<NonNullable<ExportPageRequested['list']> | null>;

type Deps = {
  companies: Pick<CompanyDirectory, 'projectedUsers'>;
  referentials: Pick<ReferentialStore, 'placesBelow'>;
};

export function createRequestOf({ companies, referentials }: Deps): RequestOf {
  return async ({ company, list }) => {
    if (!list) return null;
    const user = (await companies.projectedUsers([list.user_id])).get(list.user_id);
    if (!user?.active || user.company_id !== company.id) return null;
    if (!isDeepStrictEqual(rightsOf(user), list.rights)) return null;
    const { place_ids } = user;
    const place = new URL(list.address, 'http://list').searchParams.get('place');
    const caller = {
      companyId: company.id,
      companyName: company.name,
      companyKind: company.kind,
      userId: user.id,
      firstName: user.first_name,
      lastName: user.last_name,
      email: user.email,
      permissions: user.permissions,
      via: 'session' as const,
      ...(place_ids && { placeIds: await referentials.placesBelow(company.id, place_ids) }),
    };
    const places = place === null ? null : await referentials.placesBelow(company.id, [place]);
    return { address: list.address, caller, ...(places && { places }) };
  };
}

const typeOf = { zip: 'application/zip', ...sheetTypeOf };

/** The name of the archive, and its media type. */
export function archiveOf(job: CompanyExport) {
  const name = fileNameOf(job);
  return { name, type: typeOf[name.split('.').at(-1) as keyof typeof typeOf] };
}

/** The file of a list from its lines, the first of which is its head (`readSheetPage`). They are read as fast as the file is taken. */
export async function listFile(pages: AsyncIterable<Buffer>): Promise<Readable> {
  const lines = linesOf(pages);
  const head = (await lines.next()).value as SheetHead;
  async function* cells() {
    for await (const line of lines) {
      yield (line as Cell[]).map((cell, index) => {
        const type = head.columns[index]?.type;
        return cell !== null && (type === 'date' || type === 'moment') ? new Date(cell as string) : cell;
      });
    }
  }
  return sheetStream({ ...head, name: 'list' }, cells());
}

async function* linesOf(pages: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  for await (const page of pages) {
    for (const line of page.toString().trimEnd().split('\n')) yield JSON.parse(line);
  }
}
