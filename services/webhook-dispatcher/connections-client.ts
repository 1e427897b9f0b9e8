import { type AddressPolicy, createSafeLookup, type Resolve } from '@app/ssrf-guard';
import { buildConnector, Client } from 'undici';

/** One connection to a receiver, which carries one request at a time. */
export type Line = {
  client: Client;
  path: string;
  /** It has carried a request before: the receiver may close it just as it is used again. */
  used: boolean;
};

/** Connections that are kept for the next request. A line that is taken must be kept or ended. */
export type Connections = {
  /** Null where the URL must not be called. A connection kept from an earlier request, or, if `fresh`, one of its own. */
  take(endpointId: string, url: string, fresh?: boolean): Line | null;
  keep(line: Line): void;
  end(line: Line): void;
};

type Options = { policy: AddressPolicy; resolve: Resolve; timeoutMs: number };

/** Connections of one endpoint to one URL. */
type Lane = { endpointId: string; url: URL; idle: OwnLine[]; lines: number; connect: buildConnector.connector };
type OwnLine = Line & { lane: Lane; openedAt: number };

/** Shorter than the 5 s after which most servers close: a connection is rarely reused while it is being closed. */
const idleConnectionMs = 4_000;
/** The answer of DNS is asked for, and checked, at least so often, however busy a connection is. */
const oldestConnectionMs = 60_000;
const maxHeaderSize = 16 * 1024;

/**
 * Connections per endpoint: one opened for one company never carries another's events. Every one goes to an address that was
 * checked as it was opened, and is verified against the host name.
 */
export function createConnections({ policy, resolve, timeoutMs }: Options): Connections {
  const lanes = new Map<string, Lane>();
  const lookup = createSafeLookup({ policy, resolve, timeoutMs });

  function laneOf(endpointId: string, url: string): Lane | null {
    const known = lanes.get(endpointId);
    if (known?.url.href === url) return known;
    // `lookup` is not called for a literal address, and the policy may have changed since the registration.
    if (policy.violation(url) !== null) return null;
    // Of its own, so that a TLS session is resumed with the endpoint that it was made with alone.
    const connect = buildConnector({ lookup, timeout: timeoutMs, allowH2: false, autoSelectFamily: true });
    const lane = { endpointId, url: new URL(url), idle: [], lines: 0, connect };
    lanes.set(endpointId, lane);
    return lane;
  }

  function open(lane: Lane): OwnLine {
    const client = new Client(lane.url.origin, {
      connect: lane.connect,
      maxHeaderSize,
      keepAliveTimeout: idleConnectionMs,
      keepAliveMaxTimeout: idleConnectionMs,
      // The time of an attempt is bounded as a whole, by whoever makes it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const line = { client, lane, path: lane.url.pathname + lane.url.search, used: false, openedAt: Date.now() };
    lane.lines += 1;
    client.on('disconnect', () => {
      const place = lane.idle.indexOf(line);
      if (place === -1) return;
      lane.idle.splice(place, 1);
      end(line);
    });
    return line;
  }

  /** A lane without connections is forgotten. */
  function end(line: OwnLine): void {
    const { lane, client } = line;
    lane.lines -= 1;
    if (lane.lines === 0 && lanes.get(lane.endpointId) === lane) lanes.delete(lane.endpointId);
    client.destroy().catch(() => undefined);
  }

  return {
    take(endpointId, url, fresh = false) {
      const lane = laneOf(endpointId, url);
      return lane && ((fresh ? undefined : lane.idle.pop()) ?? open(lane));
    },
    keep(given) {
      const line = given as OwnLine;
      const { lane } = line;
      line.used = true;
      const isOld = Date.now() - line.openedAt > oldestConnectionMs;
      if (isOld || lanes.get(lane.endpointId) !== lane) end(line);
      else lane.idle.push(line);
    },
    end: (line) => end(line as OwnLine),
  };
}
