import { neutralPerson } from '@app/contracts';

type Message = { visibility?: string; author: { id: string; firstName: string; lastName: string } };
/** The data of a webhook of any event. */
type Payload = { ticket?: unknown; message?: unknown };

/** The id of the message's author, null for other events: only events of messages name a person. */
export function authorIn(payload: Payload): string | null {
  return (payload.message as Message | undefined)?.author.id ?? null;
}

/** True for the event of a note that managers and admins alone read. */
export function isForManagers(payload: Payload): boolean {
  return (payload.message as Message | undefined)?.visibility === 'managers';
}

export function withoutName<T extends Payload>(payload: T): T {
  if (!payload.message) return payload;
  const message = payload.message as Message;
  const { author } = message;
  const { first_name: firstName, last_name: lastName } = neutralPerson(author.id);
  return { ...payload, message: { ...message, author: { ...author, firstName, lastName } } };
}

/** A stored body without the author's name; all other fields stay as they are, in their order. */
export function bodyWithoutName(body: string): string {
  const { data, ...rest } = JSON.parse(body) as { data: Payload };
  return JSON.stringify({ ...rest, data: withoutName(data) });
}

/** Matches stored bodies of this author. It cannot match within the text of a message, where quotes are escaped. */
export function bodyNaming(userId: string): RegExp {
  return new RegExp(`"author":\\{"id":"${userId}",`);
}
