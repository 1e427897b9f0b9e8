export const en = {
  title: 'Invoices to match',
};
