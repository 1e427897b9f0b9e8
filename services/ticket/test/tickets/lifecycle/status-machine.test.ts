import { AppError } from '@app/kernel';
import { permit, statusMachine } from '../../../tickets/lifecycle/status-machine.ts';
import { type Status, statuses } from '../../../tickets/ticket.ts';
import { aContractor, aTicket, client, worked } from '../fixtures.ts';

/** The machine once more, by hand: operation, party, from, to. A change must be made in both places. */
const C = 'client';
const K = 'contractor';
const B = 'both';
const planning = 'waiting_contractor assigned toplan waitingplan toreplan visit';
const decided = 'validation validated dropped';
const intervened = 'intervention intervention_finish';
const underWay = `${planning} visit_devis ${decided} ${intervened}`;
const rows: [string, string, string, string][] = [
  ['submit', C, 'draft', 'opened'],
  ['qualify', C, 'opened', 'waiting'],
  ['propose', C, 'opened waiting proposed declined toreplan dropped', 'proposed'],
  ['accept', K, 'proposed', 'waiting_contractor'],
  ['decline', K, 'proposed waiting_contractor assigned toplan toreplan', 'declined'],
  [
    'assign',
    C,
    `opened waiting proposed declined waiting_contractor assigned toplan waitingplan toreplan ${decided}`,
    'assigned',
  ],
  ['take_charge', K, 'waiting_contractor', 'assigned'],
  ['unassign', C, 'waiting_contractor assigned toplan waitingplan toreplan', 'waiting'],
  ['ask_to_plan', B, 'waiting_contractor assigned', 'toplan'],
  ['ask_for_date', B, 'toplan validated toreplan', 'waitingplan'],
  ['plan_visit', C, `opened ${planning} dropped`, 'visit'],
  ['plan_visit', K, `opened ${planning} dropped proposed`, 'visit'],
  ['visit_done', B, 'visit visit_devis', 'validation toplan'],
  ['visit_done_late', B, decided, ''],
  ['visit_not_done', B, 'visit visit_devis', 'toreplan'],
  ['add_quote', C, `opened ${planning} visit_devis ${decided}`, decided],
  ['add_quote', K, `opened proposed ${planning} visit_devis ${decided}`, decided],
  ['add_extra_quote', B, `${intervened} finished`, ''],
  ['validate_quote', C, decided, 'validated'],
  ['decline_quote', C, decided, decided],
  ['decide_extra_quote', C, `${intervened} finished`, ''],
  ['plan_intervention', C, `opened ${planning} visit_devis validated intervention dropped validation`, 'intervention'],
  ['plan_intervention', K, `opened proposed ${planning} visit_devis validated intervention`, 'intervention'],
  ['reschedule', B, `visit visit_devis ${intervened}`, 'toreplan'],
  ['intervention_done', B, intervened, 'finished intervention'],
  ['intervention_done_late', B, 'finished', ''],
  ['intervention_not_done', B, intervened, 'toreplan'],
  ['finish', C, `opened waiting proposed ${underWay} declined`, 'finished'],
  ['finish', K, underWay, 'finished'],
  ['close', C, `opened waiting proposed ${underWay} finished declined`, 'closed'],
  ['cancel', B, `opened waiting proposed ${underWay} declined`, 'canceled'],
  ['reopen', B, 'finished closed canceled declined', 'opened'],
  ['edit', C, statuses.filter((status) => status !== 'removed').join(' '), ''],
  ['remove', C, 'draft opened waiting declined canceled', 'removed'],
];

const contractor = aContractor();
const operations = Object.keys(statusMachine) as (keyof typeof statusMachine)[];
const words = (text: string) => text.split(' ').filter(Boolean);

test.each(operations.flatMap((operation) => [C, K].map((party) => [operation, party] as const)))(
  '%s by the %s goes from the statuses of the table, to where it says, and is refused elsewhere',
  (operation, party) => {
    const actor = party === C ? client : contractor.actor;
    const [, , from, to] = rows.find(([name, by]) => name === operation && (by === party || by === B)) ?? [];
    const expected = statuses.map((status) => {
      if (from === undefined || to === undefined) return [status, 'forbidden'];
      if (words(from).includes(status)) return [status, 'go'];
      return [status, to === status ? 'already' : 'ticket_transition_forbidden'];
    });
    const happens = (status: Status) => outcome(() => permit(worked(status, contractor), actor, operation));
    expect(statuses.map((status) => [status, happens(status)])).toEqual(expected);
    if (to !== undefined) expect([...statusMachine[operation].to].sort()).toEqual(words(to).sort());
  },
);

test('a forbidden move names from and operation', () => {
  try {
    permit(worked('closed', contractor), client, 'finish');
  } catch (error) {
    expect(error).toMatchObject({ kind: 'conflict', details: { from: 'closed', operation: 'finish' } });
    expect((error as Error).message).toContain('finish');
    expect((error as Error).message).toContain('closed');
  }
  expect.assertions(3);
});

test('an opened ticket without a contractor takes no planning', () => {
  expect(outcome(() => permit(aTicket(), client, 'plan_intervention'))).toBe('ticket_transition_forbidden');
});

function outcome(act: () => string): string {
  try {
    return act();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}
