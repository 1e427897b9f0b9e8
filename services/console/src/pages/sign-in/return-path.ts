/** Shows the first page of whoever signed in without asking for an address. */
export const afterSignIn = '/start';

/** The path to show after the sign-in: one of the console, never another site. */
export function returnPath(to: string | null): string {
  return to?.startsWith('/') && !to.startsWith('//') && !to.includes('\\') ? to : afterSignIn;
}
