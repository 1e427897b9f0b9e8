export const en = {
  title: 'Webhooks',
};
