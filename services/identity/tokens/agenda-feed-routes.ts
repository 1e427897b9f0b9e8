import type { AuditAction } from '@app/contracts';
import { answer, auditSource, type Context, type Route, route } from '@app/http';
import Joi from 'joi';
import { auditEntry } from '../audit/audit-entry.ts';
import { type AuditedWriteDeps, auditedWrite } from '../audit/audited-write.ts';
import { randomSecret } from '../random-secret.ts';
import type { AgendaFeedStore } from './agenda-feed-store.ts';

export type AgendaFeedDeps = AuditedWriteDeps & { agendaFeeds: AgendaFeedStore; publicUrl: string; now: () => Date };

const base = { host: 'ts', tag: 'Session', access: { permission: 'tickets' }, path: '/auth/agenda-feed' } as const;
const createdAt = Joi.string().isoDate().required();

/** The secret address at which calendar programs read a user's agenda. */
export function agendaFeedRoutes(deps: AgendaFeedDeps): Route[] {
  const { agendaFeeds, publicUrl, now } = deps;
  return [
    route({
      ...base,
      method: 'get',
      summary: 'Whether your agenda has an address for calendar programs',
      reply: { status: 200, schema: answer({ created_at: createdAt.allow(null) }) },
      handle: async ({ caller }) => ({ created_at: (await agendaFeeds.of(caller.userId))?.created_at ?? null }),
    }),
    route({
      ...base,
      method: 'put',
      summary: 'Make an address of your agenda for calendar programs',
      description: 'It is shown this once, and whoever knows it sees your agenda. The former one ends.',
      body: Joi.object({}),
      reply: { status: 200, schema: answer({ url: Joi.string().required(), created_at: createdAt }) },
      async handle({ res, ...request }) {
        const { companyId: company_id, userId: user_id } = request.caller;
        const [secret, created_at] = [randomSecret(), now()];
        await auditedWrite(deps, null, async (within) => {
          await agendaFeeds.put({ user_id, company_id, created_at }, secret, within);
          return { result: true, entries: [entryOf(request, 'agenda_feed.created', created_at)] };
        });
        res.setHeader('Cache-Control', 'no-store');
        return { url: `${publicUrl.replace(/\/$/, '')}/agenda/feeds/${secret}.ics`, created_at };
      },
    }),
    route({
      ...base,
      method: 'delete',
      summary: 'End the address of your agenda',
      description: 'It is refused within 5 seconds everywhere.',
      reply: { status: 204 },
      async handle(request) {
        await auditedWrite(deps, null, async (within) => {
          const result = await agendaFeeds.remove(request.caller.userId, within);
          return { result, entries: result ? [entryOf(request, 'agenda_feed.revoked', now())] : [] };
        });
      },
    }),
  ];
}

type Request = Pick<Context<never, never, never, never>, 'principal' | 'req' | 'caller'>;

function entryOf({ caller, ...request }: Request, action: AuditAction, at: Date) {
  const target = { kind: 'user', id: caller.userId, name: null };
  return auditEntry({ companyId: caller.companyId, action, ...auditSource(request), target }, at);
}
