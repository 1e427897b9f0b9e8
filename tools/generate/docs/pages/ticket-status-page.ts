import { type Operation, statusMachine } from '../../../../services/ticket/tickets/lifecycle/status-machine.ts';
import { statuses as allStatuses } from '../../../../services/ticket/tickets/ticket.ts';
import { code, heading, table } from '../markdown.ts';

type Row = {
  client?: readonly string[];
  contractor?: readonly string[];
  timer?: readonly string[];
  to: readonly string[];
};

/** The operations by picture, one for each part of a ticket's life. */
const parts: Record<string, Operation[]> = {
  'Finding a contractor': [
    'submit',
    'qualify',
    'propose',
    'accept',
    'decline',
    'expire',
    'assign',
    'take_charge',
    'unassign',
  ],
  'Visit and quotes': [
    'plan_visit',
    'visits_past',
    'visit_done',
    'visit_done_late',
    'visit_not_done',
    'add_quote',
    'add_extra_quote',
    'validate_quote',
    'decline_quote',
    'decide_extra_quote',
  ],
  'The work': [
    'ask_to_plan',
    'ask_for_date',
    'plan_intervention',
    'reschedule',
    'interventions_past',
    'intervention_done',
    'intervention_done_late',
    'intervention_not_done',
  ],
  'The end, and back': ['finish', 'close', 'cancel', 'reopen', 'edit', 'remove'],
};

/** An operation with more arrows than this starts at one box that lists its sources. */
const arrowsAtMost = 4;

/** The status machine of a ticket as pictures and as the whole table. */
export function ticketStatusPage(): string {
  checkComplete();
  return [
    heading('The status of a ticket', 'services/ticket/tickets/lifecycle/status-machine.ts'),
    'A move that the table does not allow is refused with 409 `ticket_transition_forbidden`; a move to where the ticket',
    "stands already changes nothing and tells nobody. The status of a ticket is that of its client's view; a contractor",
    'moves from the status of its own view.',
    ...Object.entries(parts).map(([title, operations]) => `\n${code('mermaid', diagram(title, operations))}`),
    '\n## The whole table\n',
    '`opened_with_contractor` is a reopened ticket that kept its contractor. A party without an entry is the wrong one: 403.',
    'Where _leads to_ is empty the ticket does not move.\n',
    table(
      ['operation', 'the client, from', 'a contractor, from', 'leads to'],
      Object.entries(statusMachine as Record<Operation, Row>).map(([operation, row]) => [
        `\`${operation}\``,
        ...columnsOf(row),
      ]),
    ),
  ]
    .join('\n')
    .concat('\n');
}

/** From where the client and a contractor move a ticket, or a timer does, and to where. */
function columnsOf({ client = [], contractor = [], timer, to }: Row): string[] {
  if (timer) return [`a timer, from ${spoken(timer)}`, '', spoken(to)];
  const isSame = client.length > 0 && client.join() === contractor.join();
  return [spoken(client), isSame ? 'the same' : spoken(contractor), spoken(to)];
}

/** @throws Error if an operation is in no picture */
function checkComplete(): void {
  const drawn = Object.values(parts).flat().sort().join();
  if (drawn !== Object.keys(statusMachine).sort().join()) {
    throw new Error(
      'every operation of the machine belongs to one part of tools/generate/docs/pages/ticket-status-page.ts',
    );
  }
}

/** With its title inside: the guide leaves drawings out, and would keep a heading. */
function diagram(title: string, operations: Operation[]): string {
  const rows = operations.map((operation) => ({ operation, ...(statusMachine[operation] as Row) }));
  const moving = rows.filter(({ to }) => to.length > 0);
  const boxes = moving.filter(isBoxed).map((row) => `  state "${wrapped(startsOf(row))}" as from_${row.operation}`);
  const labels = new Map<string, string[]>();
  for (const row of moving) {
    const starts = isBoxed(row) ? [`from_${row.operation}`] : startsOf(row);
    for (const [from, to] of starts.flatMap((from) => row.to.map((to) => [from, to] as const))) {
      const arrow = `  ${from} --> ${to}`;
      labels.set(arrow, [...(labels.get(arrow) ?? []), row.operation.replaceAll('_', ' ')]);
    }
  }
  const arrows = [...labels].map(([arrow, names]) => `${arrow}: ${names.join(', ')}`);
  return ['---', `title: ${title}`, '---', 'stateDiagram-v2', ...boxes, ...arrows].join('\n');
}

function isBoxed(row: Row): boolean {
  return startsOf(row).length * row.to.length > arrowsAtMost;
}

function startsOf({ client = [], contractor = [], timer = [] }: Row): string[] {
  return [...new Set([...client, ...contractor, ...timer])];
}

/** Lists statuses, or the missing ones if that is shorter. */
function spoken(statuses: readonly string[]): string {
  const missing = allStatuses.filter((status) => !statuses.includes(status));
  const known = statuses.every((status) => (allStatuses as readonly string[]).includes(status));
  if (statuses.length === 0 || !known || missing.length >= statuses.length) return statuses.join(', ');
  return missing.length === 0 ? 'any' : `any but ${missing.join(', ')}`;
}

/** The same in lines short enough for a box. */
function wrapped(statuses: string[]): string {
  const words = spoken(statuses).split(', ');
  const lines = Array.from({ length: Math.ceil(words.length / 4) }, (_, line) => words.slice(4 * line, 4 * line + 4));
  return lines.map((line) => line.join(', ')).join(',<br>');
}
