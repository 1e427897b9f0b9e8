export const en = {
  view: 'View',
  views: { week: 'Week', month: 'Month' },
  earlier: 'Earlier',
  later: 'Later',
  today: 'Today',
  nothing: 'Nothing is planned or done in these days.',
  states: {
    visit: { planned: 'Visit', done: 'Visit done' },
    intervention: { planned: 'Work', done: 'Work done' },
  },
  more: (count: number) => `${count} more`,
  fewer: 'Fewer',
  undated: (count: string) => `Without a date (${count})`,
  allUndated: 'All tickets to plan',
  due: (when: string) => `Due ${when}`,
  planNamed: (ticket: string) => `Plan a date for ${ticket}`,
  notPlannable: (ticket: string, status: string) =>
    `No date can be planned for ${ticket} now: the ticket is “${status}”.`,
  move: 'Move',
  moveNamed: (ticket: string) => `Move the date of ${ticket}`,
  moveHint: 'The former date is canceled, and the other party is told of the new one. It lasts as long as before.',
  start: 'New start',
  startIn: (zone: string) => `New start (time in ${zone})`,
  moved: (ticket: string) => `Date of ${ticket} moved`,
  notMovable: (ticket: string, status: string) =>
    `The date of ${ticket} cannot be moved: the ticket is “${status}”, and no other date can be planned for it.`,
};
