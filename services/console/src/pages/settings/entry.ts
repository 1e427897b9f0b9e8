import type { TicketSchemas } from '@app/api-client';

export type Place = TicketSchemas['Place'];
export type Equipment = TicketSchemas['Equipment'];
export type CustomField = TicketSchemas['CustomField'];

/** What is known of equipment; days are `2026-11-24`. */
export type EquipmentFacts = Pick<
  Equipment,
  'location_id' | 'serial_number' | 'make' | 'in_service_since' | 'warranty_until'
>;
export type Photo = NonNullable<Equipment['photo']>;

/** An entry of any kind, as the page shows and changes it. Fields that its kind does not have are missing. */
export type Entry = {
  id: string;
  name: string;
  parentId?: string | null;
  reference?: string | null;
  address?: Place['address'];
  facts?: EquipmentFacts;
  photo?: Photo | null;
  names?: CustomField['name'];
  target?: CustomField['target'];
};

/** The input of a form; `null` removes a value. */
export type EntryInput = Omit<Entry, 'id' | 'photo'>;
