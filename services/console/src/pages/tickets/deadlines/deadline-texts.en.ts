export const deadlines = {
  title: 'Deadlines',
  overdue: 'Overdue',
  filter: 'Deadline',
  names: { response: 'Response', arrival: 'Arrival', finish: 'Finish' },
  states: { running: 'Running', paused: 'Paused', met: 'Met', missed: 'Missed' },
  pauses: {
    quotes_to_decide: 'quotes wait for a decision',
    quotes_declined: 'its quotes were declined',
    contractor_to_choose: 'it waits for another contractor',
    client_asked: 'the client was asked for the next step',
    canceled: 'the ticket is canceled',
  },
  left: (time: string) => `${time} left`,
  late: (time: string) => `${time} late`,
  within: {
    hours: (amount: number) => `${amount} working ${amount === 1 ? 'hour' : 'hours'}`,
    days: (amount: number) => `${amount} ${amount === 1 ? 'day' : 'days'}`,
  },
  paused: (why: string) => `Paused: ${why}`,
};
