import { HttpError, parseJsonBody, pathSegments, type Reply, type Request } from '../fake-server/http-server.ts';
import type { Settings } from './settings.ts';

type Entry = Record<string, unknown>;

/** Of a line `directoryLineStatus` is Enabled, Disabled or Upcoming, `platformType` WK or DFH. */
export type Entries = {
  lines?: (Entry & { addressingIdentifier: string; siren: string })[];
  sirens?: (Entry & { siren: string })[];
  sirets?: (Entry & { siret: string })[];
};

/** The operators of each filter of a search of lines. */
const filters: Record<string, string[]> = {
  addressingIdentifier: ['strict', 'contains'],
  siren: ['strict'],
  siret: ['strict'],
  routingIdentifier: ['strict', 'contains'],
  addressingSuffix: ['strict', 'contains'],
};

/** The part of the directory service that a buyer's software reads. */
export class Directory {
  readonly #lines = new Map<string, Entry>();
  readonly #units = new Map<string, Entry>();

  /** Adds entries, or puts them in the place of those with the same number. */
  add({ lines = [], sirens = [], sirets = [] }: Entries): void {
    const enabled = { platformType: 'WK', directoryLineStatus: 'Enabled' };
    for (const line of lines) this.#lines.set(line.addressingIdentifier, { ...enabled, ...line });
    for (const unit of sirens) this.#units.set(`siren/${unit.siren}`, { administrativeStatus: 'A', ...unit });
    for (const facility of sirets) {
      const usual = { siren: facility.siret.slice(0, 9), administrativeStatus: 'A' };
      this.#units.set(`siret/${facility.siret}`, { ...usual, ...facility });
    }
  }

  /** The directory service below `/v1`. Null for an unknown path. */
  answer(request: Request, { directory, lookUps }: Settings): Reply | null {
    if (directory === 'unavailable') throw new HttpError(503, 'RESOURCE_ERROR', 'the directory is down');
    const [, resource = '', key = ''] = pathSegments(request);
    const id = /^code(?:-insee)?:(.+)$/s.exec(key)?.[1] ?? '';
    const shown = ({ directoryLineStatus, ...line }: Entry) =>
      directory === 'complete' ? { ...line, directoryLineStatus } : line;
    switch (`${request.method} ${resource}${id === '' ? `/${key}` : '/:id'}`) {
      case 'POST directory-line/search':
        return search([...this.#lines.values()].map(shown), request);
      case 'GET directory-line/:id':
        return found(this.#lines.get(id), shown);
      case 'GET siren/:id':
      case 'GET siret/:id':
        if (!lookUps) throw new HttpError(503, 'RESOURCE_ERROR', 'this look-up is down');
        return found(this.#units.get(`${resource}/${id}`));
      default:
        if (!['siren', 'siret', 'routing-code'].includes(resource)) return null;
        throw new HttpError(501, 'NOT_IMPLEMENTED', 'the fake has no such operation');
    }
  }
}

function search(lines: Entry[], request: Request): Reply {
  const asked = parseJsonBody(request);
  const { limit = 50, ignore = 0, fields } = asked as { limit?: number; ignore?: number; fields?: string[] };
  const wanted = Object.entries((asked['filters'] ?? {}) as Record<string, { op?: string; value?: string }>);
  for (const [name, { op = '', value }] of wanted) {
    if (!filters[name]?.includes(op) || typeof value !== 'string') {
      throw new HttpError(400, 'INVALID_REQUEST', `there is no filter ${name}, or it has another op`);
    }
  }
  const matching = lines.filter((line) =>
    wanted.every(([name, { op, value = '' }]) => {
      const own = String(line[name] ?? '');
      return op === 'strict' ? own === value : own.includes(value);
    }),
  );
  // With `fields`, a line has these alone: the standard's list of them lacks the platform and the status.
  const only = (line: Entry) =>
    Object.fromEntries(Object.entries(line).filter(([name]) => fields?.includes(name) ?? true));
  const results = matching.slice(ignore, ignore + limit).map(only);
  return { status: 200, json: { search: asked, totalNumberOfResults: matching.length, results } };
}

function found(entry: Entry | undefined, shown = (one: Entry) => one): Reply {
  if (!entry) throw new HttpError(404, 'MISSING_RESOURCE', 'the directory has no such entry');
  return { status: 200, json: shown(entry) };
}
