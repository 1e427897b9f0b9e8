import { neutralPerson } from '@app/contracts';

type Message = { author: { id: string; firstName: string; lastName: string } };
/** The data of a webhook, of whatever event. */
type Payload = { ticket?: unknown; message?: unknown };

/** The author of the message that an event tells of: the one event that names a person. */
export function authorIn(payload: Payload): string | null {
  return (payload.message as Message | undefined)?.author.id ?? null;
}

export function withoutName<T extends Payload>(payload: T): T {
  if (!payload.message) return payload;
  const message = payload.message as Message;
  const { author } = message;
  const { first_name: firstName, last_name: lastName } = neutralPerson(author.id);
  return { ...payload, message: { ...message, author: { ...author, firstName, lastName } } };
}

/** The same of a stored body, all of whose other fields stay as they are, in their order. */
export function bodyWithoutName(body: string): string {
  const { data, ...rest } = JSON.parse(body) as { data: Payload };
  return JSON.stringify({ ...rest, data: withoutName(data) });
}

/** Finds stored bodies whose author this is. Inside the text of a message each quote has a backslash before it. */
export function bodyNaming(userId: string): RegExp {
  return new RegExp(`"author":\\{"id":"${userId}",`);
}
