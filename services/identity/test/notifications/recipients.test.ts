import type { NotificationKind, NotificationRecipients, Permission } from '@app/contracts';
import { emailDueAt, settingsOf } from '../../notifications/notification-settings.ts';
import { reachesNamed, recipientsOf } from '../../notifications/recipients.ts';
import type { User } from '../../users/user.ts';

const person = (id: string, permissions: Permission[], more: Partial<User> = {}) =>
  ({ id, permissions, active: true, place_ids: [], ...more }) as unknown as User;
const users = [
  person('ann', ['tickets']),
  person('ben', ['tickets'], { place_ids: ['lille'] }),
  person('cat', ['admin']),
  person('dan', ['accounting']),
  person('eve', ['tickets'], { active: false }),
  person('fay', ['api_webhooks', 'tickets'], { place_ids: ['paris'] }),
];
const managers = (...manager_ids: string[]): NotificationRecipients => {
  return { permission: 'tickets', manager_ids, place_ids: ['lille', 'north'] };
};
const people = (...user_ids: string[]): NotificationRecipients => ({ user_ids, place_ids: ['lille'] });

type Case = [NotificationKind, NotificationRecipients, string | null, string[], string];

test.each<Case>([
  ['quote', managers('ann'), null, ['ann'], 'a manager'],
  ['quote', managers('ann', 'ben'), 'ann', ['ben'], 'the actor never'],
  ['quote', managers('ann'), 'ann', [], 'nobody else, if the only manager did it'],
  ['quote', managers(), null, ['ann', 'ben', 'cat'], 'without managers all with the permission who see the place'],
  ['quote', managers('eve', 'fay', 'dan'), null, ['ann', 'ben', 'cat'], 'managers who cannot get it are none'],
  ['quote', { ...managers(), place_ids: [] }, null, ['ann', 'cat'], 'limited users see no ticket without a place'],
  ['quote', { ...managers(), place_ids: null }, null, ['ann', 'ben', 'cat', 'fay'], 'of no place: limited users, too'],
  ['note', people('ann', 'dan', 'eve', 'fay', 'gus'), null, ['ann'], 'of people those who may'],
  ['mention', people('fay'), null, [], 'of people nobody else in their place'],
  ['assigned', people('cat'), null, ['cat'], 'an admin may all'],
  ['proposal', managers('ann'), null, [], 'a client answers no proposals'],
  [
    'invoice_waits',
    { permission: 'accounting', manager_ids: [], place_ids: null },
    null,
    ['cat', 'dan'],
    'accountants',
  ],
  ['endpoint_fails', { permission: 'api_webhooks', manager_ids: [], place_ids: [] }, null, ['cat'], 'no limited user'],
])('%s to %j, done by %s: %j (%s)', (kind, to, by, expected) => {
  const event = { kind, to, ...(by === null ? {} : { actor: { id: by, firstName: '', lastName: '' } }) };
  const told = recipientsOf(event, users, 'client').map(({ id }) => id);
  expect(told).toEqual(expected);
  // Asked of those named alone it is the same, if it reaches them.
  const named = users.filter(({ id }) => ('user_ids' in to ? to.user_ids : to.manager_ids).includes(id));
  if (reachesNamed(event, named, 'client'))
    expect(recipientsOf(event, named, 'client').map(({ id }) => id)).toEqual(told);
});

test('a contractor company gets proposals, and no quotes or invoices', () => {
  const kinds: NotificationKind[] = ['proposal', 'quote', 'invoice_waits'];
  const reached = kinds.map((kind) => recipientsOf({ kind, to: managers() }, users, 'contractor').length);
  expect(reached).toEqual([3, 0, 0]);
});

test.each<[Permission[], Record<string, string>]>([
  [[], {}],
  [['accounting'], { invoice_waits: 'daily' }],
  [['api_webhooks'], { endpoint_fails: 'now' }],
  [
    ['tickets'],
    {
      assigned: 'now',
      quote: 'now',
      date: 'daily',
      note: 'daily',
      mention: 'now',
      due_soon: 'daily',
      overdue: 'now',
    },
  ],
  [
    ['admin', 'accounting'],
    {
      assigned: 'now',
      quote: 'never',
      date: 'never',
      note: 'never',
      mention: 'now',
      due_soon: 'never',
      overdue: 'never',
      invoice_waits: 'daily',
      endpoint_fails: 'now',
    },
  ],
])('by default who may %j gets %j by e-mail, and all of it in the console', (permissions, emails) => {
  const expected = Object.entries(emails).map(([kind, email]) => [kind, { console: true, email }]);
  expect(settingsOf({}, { permissions }, 'client')).toEqual(Object.fromEntries(expected));
});

test('what a user chose holds for kinds that they can get', () => {
  const quiet = { console: false, email: 'never' } as const;
  const settings = settingsOf({ note: quiet, invoice_waits: quiet }, { permissions: ['tickets'] }, 'client');
  expect([settings.note, settings.invoice_waits]).toEqual([quiet, undefined]);
});

test.each([
  ['now', '2026-11-28T12:00:00.000Z', null, '2026-11-28T12:00:00.000Z'],
  ['daily', '2026-11-28T12:00:00.000Z', null, '2026-11-29T06:00:00.000Z'],
  ['daily', '2026-11-29T05:59:59.999Z', null, '2026-11-29T06:00:00.000Z'],
  ['daily', '2026-07-01T05:00:00.000Z', null, '2026-07-02T05:00:00.000Z'],
  ['weekly', '2026-11-28T12:00:00.000Z', null, '2026-11-30T06:00:00.000Z'],
  ['weekly', '2026-11-30T06:00:00.000Z', 'Europe/Paris', '2026-12-07T06:00:00.000Z'],
  ['daily', '2026-11-28T00:00:00.000Z', 'Asia/Kathmandu', '2026-11-28T01:15:00.000Z'],
  // Seven o'clock comes after the clocks have changed.
  ['daily', '2026-03-28T12:00:00.000Z', 'Europe/Paris', '2026-03-29T05:00:00.000Z'],
] as const)('an e-mail %s of %s in %s is due %s', (mode, at, zone, expected) => {
  expect(emailDueAt(mode, new Date(at), zone).toISOString()).toBe(expected);
});
