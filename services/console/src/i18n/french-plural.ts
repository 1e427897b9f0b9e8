/** Whether a number, as it is shown, takes the singular. In French 0 does, as 1 does. */
export const isSingular = (count: string) => count === '0' || count === '1';
