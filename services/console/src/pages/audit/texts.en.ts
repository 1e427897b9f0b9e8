export const en = {
  title: 'Audit',
};
