import { deadlines as words } from '../../tickets/deadlines/deadline-texts.en.ts';

export const en = {
  ...words,
  intro:
    'By when a contractor must respond, arrive and finish. If several rows fit a ticket, the one with the nearest place applies, then the nearest domain, then the typology. Contractors see what applies to their tickets.',
  openedAt: 'Preview: a ticket opened at',
  addPolicy: 'Add deadlines',
  noPolicies: 'No deadlines yet: nothing is ever late.',
  hours: 'Working hours',
  hoursHint:
    'Hours count only while a place is open; a day is 24 hours. For a ticket with several places the first one counts.',
  addHours: 'Add working hours',
  noHours: 'None yet. Deadlines need the hours of all places.',
  appliesTo: 'Applies to',
  everything: 'All',
  domain: 'Domain',
  typology: 'Typology',
  priorities: { high: 'High', medium: 'Medium', low: 'Low', none: 'None' },
  typologies: {
    '5ebb096fe1bde10a7ee21348': 'Repair',
    '5ebb096fe1bde10a7ee21349': 'Maintenance',
    '5f770cb039e6b8004a1cc0b7': 'Reserves',
    '5ebb096fe1bde10a7ee2134b': 'Insurance claim',
    '5ebb096fe1bde10a7ee2134a': 'Works',
  } as Record<string, string>,
  unit: 'Unit',
  units: { hours: 'Working hours', days: 'Days' },
  openingsHint: 'For example 08:00-12:00 13:30-18:00; empty if it is closed',
  holidays: 'Public holidays',
  holidayKinds: { FR: 'Those of all of France are closed', none: 'Open as on other days' },
  closed: 'Other closed days',
  closedHint: 'One per line, such as 2026-12-24',
  saved: 'Deadlines saved',
  warnPercent: 'Warn at, in percent of the time',
  warnHint: 'A warning comes then, and another one at the end.',
  warnedAt: 'Warning',
  percent: (share: number) => `at ${share}%`,
};
