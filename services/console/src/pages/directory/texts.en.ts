export const en = {
  title: 'Directory',
};
