export const en = {
  title: 'Tickets',
};
