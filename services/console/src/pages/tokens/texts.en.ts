export const en = {
  title: 'API tokens',
};
