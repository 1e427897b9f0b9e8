/** The position of the last delivery of a page. */
export type LogPosition = { createdAt: Date; id: string };

export function encodeCursor({ createdAt, id }: LogPosition): string {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');
}

/** Null if the text is no cursor. */
export function decodeCursor(cursor: string): LogPosition | null {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, time, id] = /^(\d{1,15})\.([0-9a-f]{24})$/.exec(text) ?? [];
  return time === undefined || id === undefined ? null : { createdAt: new Date(Number(time)), id };
}
