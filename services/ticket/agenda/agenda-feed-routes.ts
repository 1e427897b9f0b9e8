import { createHash } from 'node:crypto';
import type { Caller } from '@app/contracts';
import { type Route, responseSent, route } from '@app/http';
import { sheetParameters } from '@app/http/lists';
import Joi from 'joi';
import { agendaCalendar, type Language } from './agenda-calendar.ts';
import { type AgendaDeps, type AgendaEntry, maxEntries, readAgenda } from './read-agenda.ts';

export type FeedDeps = AgendaDeps & { consoleUrl?: string | null; now: () => Date };

const dayMs = 86_400_000;
/** Days from now, the nearest first: of more than `maxEntries` the others are left out. */
const spans = [
  [0, 7],
  [7, 35],
  [-7, 0],
  [35, 140],
  [140, 365],
  [-90, -7],
] as const;
/** A calendar that is not read every day must learn of a cancellation. */
const canceledMs = 30 * dayMs;

/** The agenda of a user for calendar programs, which send nothing but its address. */
export function agendaFeedRoutes(deps: FeedDeps): Route[] {
  return [
    route<{ feed: string }, { language: Language }>({
      host: 'ts',
      method: 'get',
      path: '/agenda/feeds/:feed',
      tag: 'Agenda',
      access: { permission: 'tickets', inPath: true },
      summary: 'Your agenda for calendar programs',
      description: `At the secret address that \`PUT /auth/agenda-feed\` makes, without other credentials; 404 once it has ended, or its user may no longer sign in. What you see in \`/agenda\` now, from 90 days ago to 365 days ahead, at most ${maxEntries} dates; canceled dates for 30 more days. A calendar program asks again by itself; what it shows may be some hours old.`,
      params: Joi.object<{ feed: string }>({ feed: Joi.string().max(100).required() }),
      query: Joi.object<{ language: Language }>({ language: sheetParameters.language.description('of its words') }),
      errors: ['403 forbidden', '404 not_found'],
      reply: {
        status: 200,
        file: ['text/calendar'],
        headers: { ETag: 'of its content, for `If-None-Match`' },
        also: { 304: 'The copy of the client is current' },
      },
      async handle({ caller, query: { language }, req, res }) {
        const text = await feedOf(deps, caller, language);
        const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
        res.setHeader('ETag', etag);
        res.setHeader('Cache-Control', 'private, max-age=300');
        if (req.headers['if-none-match'] === etag) res.status(304).end();
        else res.status(200).type('text/calendar; charset=utf-8').send(text);
        return responseSent;
      },
    }),
  ];
}

async function feedOf(deps: FeedDeps, caller: Caller, language: Language): Promise<string> {
  const now = deps.now();
  const kept = new Map<string, AgendaEntry>();
  for (const [from, to] of spans) {
    if (kept.size >= maxEntries) break;
    const at = (days: number) => new Date(now.getTime() + days * dayMs);
    const wanted = { from: at(from), to: at(to), isShown: (one: Shown) => isShown(one, now) };
    const { entries } = await readAgenda(deps, caller, wanted);
    for (const entry of entries.slice(0, maxEntries - kept.size)) kept.set(entry.date._id, entry);
  }
  const options = { name: `Agenda ${caller.companyName}`, consoleUrl: deps.consoleUrl ?? null, language };
  return agendaCalendar([...kept.values()], options);
}

type Shown = Pick<AgendaEntry, 'state' | 'ticket'>;

function isShown({ state, ticket }: Shown, now: Date): boolean {
  return state !== 'canceled' || now.getTime() - ticket.updated_at.getTime() < canceledMs;
}
