import { HttpError, parseJsonBody, pathSegments, type Reply, type Request } from '../fake-server/http-server.ts';
import type { Settings } from './settings.ts';

/** An addressing line; `directoryLineStatus` is Enabled, Disabled or Upcoming, `platformType` WK or DFH. */
export type Line = Record<string, unknown> & { addressingIdentifier: string; siren: string };
export type LegalUnit = Record<string, unknown> & { siren: string };
export type Facility = Record<string, unknown> & { siret: string };
export type Entries = { lines?: Line[]; sirens?: LegalUnit[]; sirets?: Facility[] };

const filters: Record<string, string[]> = {
  addressingIdentifier: ['strict', 'contains'],
  siren: ['strict'],
  siret: ['strict'],
  routingIdentifier: ['strict', 'contains'],
  addressingSuffix: ['strict', 'contains'],
};
const defaultLimit = 50;

/** The part of the directory service that a buyer's software reads. */
export class Directory {
  readonly #lines = new Map<string, Line>();
  readonly #sirens = new Map<string, LegalUnit>();
  readonly #sirets = new Map<string, Facility>();

  /** Adds entries, or puts them in the place of those of the same id. */
  add({ lines = [], sirens = [], sirets = [] }: Entries): void {
    for (const line of lines) {
      const usual = { platformType: 'WK', directoryLineStatus: 'Enabled' };
      this.#lines.set(line.addressingIdentifier, { ...usual, ...line });
    }
    for (const unit of sirens) {
      this.#sirens.set(unit.siren, { entityType: 'PrivateVatRegistered', administrativeStatus: 'A', ...unit });
    }
    for (const facility of sirets) {
      const usual = { siren: facility.siret.slice(0, 9), facilityType: 'P', administrativeStatus: 'A' };
      this.#sirets.set(facility.siret, { ...usual, ...facility });
    }
  }

  /** The directory service below `/v1`. Null for an unknown path. */
  answer(request: Request, settings: Settings): Reply | null {
    if (settings.directory === 'unavailable') throw new HttpError(503, 'RESOURCE_ERROR', 'the directory is down');
    const [, resource = '', key = '', ...rest] = pathSegments(request);
    if (rest.length > 0 && resource !== 'routing-code') return null;
    const id = /^code(?:-insee)?:(.+)$/s.exec(key)?.[1];
    switch (`${request.method} ${resource}${id === undefined ? `/${key}` : '/:id'}`) {
      case 'POST directory-line/search':
        return this.#search(request, settings);
      case 'GET directory-line/:id':
        return found(this.#withStatus(this.#lines.get(id as string), settings, ['Enabled', 'Disabled']));
      case 'GET siren/:id':
        return lookedUp(this.#sirens, id as string, { settings, form: /^\d{9}$/ });
      case 'GET siret/:id':
        return lookedUp(this.#sirets, id as string, { settings, form: /^\d{14}$/ });
      default:
        if (!['siren', 'siret', 'routing-code'].includes(resource)) return null;
        throw new HttpError(501, 'NOT_IMPLEMENTED', 'the fake has no such operation');
    }
  }

  #search(request: Request, settings: Settings): Reply {
    const search = parseJsonBody(request);
    const { limit = defaultLimit, ignore = 0, fields } = search;
    const wanted = Object.entries((search['filters'] ?? {}) as Record<string, { op?: string; value?: string }>);
    for (const [name, { op, value }] of wanted) {
      if (!filters[name]?.includes(op ?? '') || typeof value !== 'string') {
        throw new HttpError(400, 'INVALID_REQUEST', `filters.${name} is none, or has another op`);
      }
    }
    if (!isCount(limit, 1) || !isCount(ignore, 0))
      throw new HttpError(400, 'INVALID_REQUEST', 'limit or ignore is none');
    const matching = [...this.#lines.values()].filter((line) =>
      wanted.every(([name, { op, value = '' }]) => {
        const own = String(line[name] ?? '');
        return op === 'strict' ? own === value : own.includes(value);
      }),
    );
    const page = matching.slice(ignore, ignore + limit);
    const results = page.flatMap((line) => this.#withStatus(line, settings) ?? []).map((line) => only(line, fields));
    return { status: 200, json: { search, totalNumberOfResults: matching.length, results } };
  }

  /** @param told the statuses that the operation knows: all if absent */
  #withStatus(line: Line | undefined, { directory }: Settings, told?: string[]): Line | undefined {
    const isTold = directory === 'complete' && (told?.includes(String(line?.['directoryLineStatus'])) ?? true);
    if (!line || isTold) return line;
    const { directoryLineStatus: _, ...rest } = line;
    return rest as Line;
  }
}

function found(entry: object | undefined): Reply {
  if (!entry) throw new HttpError(404, 'MISSING_RESOURCE', 'the directory has no such entry');
  return { status: 200, json: entry };
}

function lookedUp(
  entries: ReadonlyMap<string, object>,
  id: string,
  { settings, form }: { settings: Settings; form: RegExp },
): Reply {
  if (!settings.lookUps) throw new HttpError(503, 'RESOURCE_ERROR', 'this look-up is down');
  if (!form.test(id)) throw new HttpError(400, 'INVALID_REQUEST', 'the number has another form');
  return found(entries.get(id));
}

/** With `fields`, a line has these alone: the standard's list of them lacks the platform and the status. */
function only(line: Line, fields: unknown): object {
  if (!Array.isArray(fields)) return line;
  return Object.fromEntries(Object.entries(line).filter(([name]) => fields.includes(name)));
}

function isCount(value: unknown, least: number): value is number {
  return Number.isInteger(value) && (value as number) >= least;
}
