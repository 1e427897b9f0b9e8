import Joi from 'joi';
import { defineEvent } from '../define-event.ts';
import { id, text } from '../fields.ts';

/**
 * The data of events that webhooks deliver: `audience`, the companies that may receive it, which the owner decides, and `payload`,
 * the exact `data` of the webhook body: the ticket and one event-specific key.
 */
export type WebhookEventData<Key extends string, T> = {
  audience: string[];
  payload: { ticket: { id: string; number: string; title: string } } & Record<Key, T>;
};

const ticket = Joi.object({ id: id.required(), number: Joi.string().required(), title: text.required() });

/** Declares an event type that webhooks deliver. */
export function ticketEvent<Key extends string, T>(
  name: `ticket.${string}.v${number}`,
  key: Key,
  schema: Joi.ObjectSchema<T>,
) {
  return defineEvent<WebhookEventData<Key, T>>(
    name,
    Joi.object({
      audience: Joi.array().items(id).min(1).required(),
      payload: Joi.object({ ticket: ticket.required(), [key]: schema.required() }).required(),
    }) as unknown as Joi.ObjectSchema<WebhookEventData<Key, T>>,
  );
}
