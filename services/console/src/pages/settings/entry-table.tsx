import { Button } from '../../components/button.tsx';
import { type DataColumn, DataTable } from '../../components/data-display/data-table.tsx';
import { useParents } from './entries.ts';
import type { Entry } from './entry.ts';
import { type KindName, pagedKinds } from './kinds.ts';
import { useTexts } from './texts.ts';

type Props = { kind: KindName; entries: Entry[]; onEdit: (entry: Entry) => void; onRemove: (entry: Entry) => void };

export function EntryTable({ kind, entries, onEdit, onRemove }: Props) {
  const texts = useTexts();
  const actions: DataColumn<Entry> = {
    title: texts.actions,
    kind: 'actions',
    cell: (entry) => (
      <>
        <Button variant="quiet" aria-label={texts.editOf(entry.name)} onPress={() => onEdit(entry)}>
          {texts.edit}
        </Button>
        <Button variant="quiet" aria-label={texts.deleteOf(entry.name)} onPress={() => onRemove(entry)}>
          {texts.delete}
        </Button>
      </>
    ),
  };
  return (
    <DataTable
      label={texts[kind]}
      items={entries}
      keyOf={({ id }) => id}
      {...(pagedKinds.some((one) => one === kind) && { hrefOf: ({ id }: Entry) => `/settings/${kind}/${id}` })}
      columns={[{ title: texts.name, kind: 'header', cell: ({ name }) => name }, ...useOwnColumns(kind), actions]}
    />
  );
}

/** The columns that only some kinds have. */
function useOwnColumns(kind: KindName): DataColumn<Entry>[] {
  const texts = useTexts();
  const { data: parents } = useParents(kind);
  const names = new Map(parents?.map(({ id, name }) => [id, name]));
  const parent: DataColumn<Entry> = {
    title: texts.parent,
    cell: ({ parentId }) => (parentId && names.get(parentId)) ?? '',
  };
  switch (kind) {
    case 'locations':
      return [
        { title: texts.reference, isMinor: true, cell: ({ reference }) => reference ?? '' },
        { title: texts.address, cell: ({ address }) => addressLine(address) },
        parent,
      ];
    case 'equipments':
    case 'domains':
      return [parent];
    case 'custom-fields':
      return [{ title: texts.target, cell: ({ target }) => texts[target ?? 'both'] }];
    case 'jobs':
      return [];
  }
}

export function addressLine(address: Entry['address']): string {
  if (!address) return '';
  const { streetNumber, route, postalCode, city, fullAddress } = address;
  const parts = [streetNumber, route, [postalCode, city].filter(Boolean).join(' ')];
  return parts.filter(Boolean).join(', ') || (fullAddress ?? '');
}
