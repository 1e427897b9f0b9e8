export const en = {
  title: 'Connections',
};
