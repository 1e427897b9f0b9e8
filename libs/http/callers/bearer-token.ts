/** The internal token that came with a request, to be forwarded with calls made on the caller's behalf; '' without one. */
export function bearerToken({ headers }: { headers: { authorization?: string | undefined } }): string {
  return headers.authorization?.replace(/^Bearer /, '') ?? '';
}
