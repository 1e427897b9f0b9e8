export const en = {
  title: 'Users',
};
