import { AppError } from '@app/kernel';
import { permit, statusMachine } from '../../../tickets/lifecycle/status-machine.ts';
import { type Status, statuses } from '../../../tickets/ticket.ts';
import { aContractor, aTicket, client, worked } from '../fixtures.ts';

/** The machine once more, by hand: operation, party, from, to. A change must be made in both places. */
const C = 'client';
const K = 'contractor';
const planning = 'waiting_contractor assigned toplan waitingplan toreplan visit';
const rows: [string, string, string, string][] = [
  ['submit', C, 'draft', 'opened'],
  ['qualify', C, 'opened', 'waiting'],
  ['propose', C, 'opened waiting proposed declined toreplan dropped', 'proposed'],
  ['accept', K, 'proposed', 'waiting_contractor'],
  ['decline', K, 'proposed waiting_contractor assigned toplan toreplan', 'declined'],
  [
    'assign',
    C,
    'opened waiting proposed declined waiting_contractor assigned toplan waitingplan toreplan dropped validated validation',
    'assigned',
  ],
  ['take_charge', K, 'waiting_contractor', 'assigned'],
  ['unassign', C, 'waiting_contractor assigned toplan waitingplan toreplan', 'waiting'],
  ['ask_to_plan', C, 'waiting_contractor assigned', 'toplan'],
  ['ask_to_plan', K, 'waiting_contractor assigned', 'toplan'],
  ['ask_for_date', C, 'toplan validated toreplan', 'waitingplan'],
  ['ask_for_date', K, 'toplan validated toreplan', 'waitingplan'],
  ['plan_visit', C, `opened ${planning} dropped`, 'visit'],
  ['plan_visit', K, `opened ${planning} dropped proposed`, 'visit'],
  ['visit_done', C, 'visit visit_devis', 'validation toplan'],
  ['visit_done', K, 'visit visit_devis', 'validation toplan'],
  ['visit_done_late', C, 'validation validated dropped', ''],
  ['visit_not_done', K, 'visit visit_devis', 'toreplan'],
  ['add_quote', C, `opened ${planning} visit_devis validation validated dropped`, 'validated validation dropped'],
  [
    'add_quote',
    K,
    `opened proposed ${planning} visit_devis validation validated dropped`,
    'validated validation dropped',
  ],
  ['add_extra_quote', K, 'intervention intervention_finish finished', ''],
  ['validate_quote', C, 'validation validated dropped', 'validated'],
  ['decline_quote', C, 'validation validated dropped', 'validated validation dropped'],
  ['plan_intervention', C, `opened ${planning} visit_devis validated intervention dropped validation`, 'intervention'],
  ['plan_intervention', K, `opened proposed ${planning} visit_devis validated intervention`, 'intervention'],
  ['reschedule', C, 'visit visit_devis intervention intervention_finish', 'toreplan'],
  ['reschedule', K, 'visit visit_devis intervention intervention_finish', 'toreplan'],
  ['intervention_done', K, 'intervention intervention_finish', 'finished intervention'],
  ['intervention_not_done', C, 'intervention intervention_finish', 'toreplan'],
  [
    'finish',
    C,
    'opened waiting proposed toreplan toplan waitingplan waiting_contractor assigned visit visit_devis validation validated dropped intervention intervention_finish declined',
    'finished',
  ],
  [
    'finish',
    K,
    'toreplan toplan waitingplan waiting_contractor assigned visit visit_devis validation validated dropped intervention intervention_finish',
    'finished',
  ],
  [
    'close',
    C,
    'opened waiting proposed toreplan toplan waitingplan waiting_contractor assigned visit visit_devis validation validated dropped intervention intervention_finish finished declined',
    'closed',
  ],
  [
    'cancel',
    C,
    'opened waiting proposed toreplan toplan waitingplan waiting_contractor assigned visit visit_devis validation validated dropped intervention intervention_finish declined',
    'canceled',
  ],
  ['reopen', C, 'finished closed canceled declined', 'opened'],
  ['reopen', K, 'finished closed canceled declined', 'opened'],
  ['edit', C, statuses.filter((status) => status !== 'removed').join(' '), ''],
  ['remove', C, 'draft opened waiting declined canceled', 'removed'],
];

type Case = { operation: keyof typeof statusMachine; party: string; status: Status; expected: string };

const cases: Case[] = rows.flatMap(([operation, party, from, to]) =>
  statuses.map((status) => {
    const already = to === status ? 'already' : 'ticket_transition_forbidden';
    return {
      operation: operation as keyof typeof statusMachine,
      party,
      status,
      expected: from.split(' ').includes(status) ? 'go' : already,
    };
  }),
);

const contractor = aContractor();

test.each(cases)(
  '$operation by the $party of a ticket that is $status: $expected',
  ({ operation, party, status, expected }) => {
    const actor = party === C ? client : contractor.actor;
    expect(outcome(() => permit(worked(status, contractor), actor, operation))).toBe(expected);
  },
);

test.each(rows)('%s by the %s leads where the table says', (operation, _party, _from, to) => {
  expect([...statusMachine[operation as keyof typeof statusMachine].to].sort()).toEqual(
    to.split(' ').filter(Boolean).sort(),
  );
});

const clientsAlone = [
  'submit',
  'qualify',
  'propose',
  'assign',
  'unassign',
  'validate_quote',
  'decline_quote',
  'close',
  'edit',
  'remove',
] as const;
test.each(clientsAlone)('%s is forbidden to a contractor, whatever the status', (operation) => {
  for (const status of statuses)
    expect(outcome(() => permit(worked(status, contractor), contractor.actor, operation))).toBe('forbidden');
});

test.each(['accept', 'decline', 'take_charge'] as const)('%s is forbidden to a client', (operation) => {
  expect(outcome(() => permit(aTicket(), client, operation))).toBe('forbidden');
});

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
