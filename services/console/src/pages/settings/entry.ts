import type { TicketSchemas } from '@app/api-client';

export type Location = TicketSchemas['Location'];
export type CustomField = TicketSchemas['CustomField'];

/** An entry of any kind, as the page shows and changes it. Fields that its kind does not have are missing. */
export type Entry = {
  id: string;
  name: string;
  parentId?: string | null;
  reference?: string | null;
  address?: Location['address'];
  names?: CustomField['name'];
  target?: CustomField['target'];
};

/** The input of a form; `null` removes a value. */
export type EntryInput = Omit<Entry, 'id'>;
