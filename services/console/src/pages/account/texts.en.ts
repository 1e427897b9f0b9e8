export const en = {
  title: 'Your account',
};
