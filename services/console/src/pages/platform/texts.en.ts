export const en = {
  title: 'Companies',
  usersTitle: 'Users of the platform',
};
