/** Of a number as it is shown. In French 0 is singular, as 1 is. */
export const isSingular = (count: string) => count === '0' || count === '1';
