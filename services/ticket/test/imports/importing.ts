import type { Client } from '../platform.ts';

type Kind = 'locations' | 'equipments' | 'contractor_fields' | 'ticket_fields';
export type Row = {
  line: number;
  name: string;
  verdict: string;
  changes: { column: string; before: string | null; after: string | null }[];
  faults: { column: string; message: string }[];
};

export const preview = (client: Client, kind: Kind, csv: string) => client.post('/imports/preview', { kind, csv });
export const apply = (client: Client, kind: Kind, csv: string, seen: string) =>
  client.post('/imports', { kind, csv, preview: seen });

export async function rowsOf(client: Client, kind: Kind, csv: string): Promise<Row[]> {
  const { status, data } = await preview(client, kind, csv);
  expect([status, data]).toEqual([200, expect.anything()]);
  return data.rows;
}

/** Previews and applies. @returns the counts */
export async function imported(client: Client, kind: Kind, csv: string): Promise<object> {
  const { data: seen } = await preview(client, kind, csv);
  const { status, data } = await apply(client, kind, csv, seen.preview);
  expect([status, data, seen.rows]).toEqual([200, seen.counts, expect.anything()]);
  return data;
}

export const faultsOf = (rows: Row[]) =>
  rows.flatMap(({ line, faults }) => faults.map((fault) => [line, fault.column, fault.message]));
