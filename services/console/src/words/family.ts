/** How urgent a status is, which decides its colour. */
export type Family = 'neutral' | 'info' | 'progress' | 'warning' | 'success' | 'danger';

export type StatusWord = { family: Family; en: string; fr: string };
