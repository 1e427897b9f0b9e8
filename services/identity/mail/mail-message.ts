/**
 * Plain text, and the same as HTML for programs that show it. The same `id` in a repeated e-mail lets mail programs recognise it;
 * those of one `thread` are shown together.
 */
export type Mail = {
  id: string;
  to: string[];
  subject: string;
  text: string;
  html?: string;
  thread?: string;
  replyTo?: string;
  /** Where it comes back if it cannot be delivered; by default to the sender. */
  bounceTo?: string;
  /** RFC 8058: a POST to this address ends e-mails of its kind. */
  unsubscribeUrl?: string;
};
