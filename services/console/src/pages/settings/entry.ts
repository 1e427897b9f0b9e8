import type { TicketSchemas } from '@app/api-client';

export type Location = TicketSchemas['Location'];
export type CustomField = TicketSchemas['CustomField'];

/** One thing of any kind, as the page shows and changes it. What a kind does not have is missing. */
export type Entry = {
  id: string;
  name: string;
  parentId?: string | null;
  reference?: string | null;
  address?: Location['address'];
  names?: CustomField['name'];
  target?: CustomField['target'];
};

/** What a form gives; `null` takes a value away. */
export type EntryInput = Omit<Entry, 'id'>;
