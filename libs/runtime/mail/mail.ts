/** Plain text. The same `id` in a repeated e-mail lets mail programs recognise it. */
export type Mail = { id: string; to: string[]; subject: string; text: string };
