import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { type DataColumn, DataTable } from '../../../components/data-display/data-table.tsx';
import { ListFile } from '../../../components/data-display/list-file.tsx';
import { Section } from '../../../components/layout/sections.tsx';
import { FormSheet } from '../../../components/overlays/form-sheet.tsx';
import { EmptyState, ErrorNote } from '../../../components/states.tsx';
import { may } from '../../../session/permissions.ts';
import { useSession } from '../../../session/session.ts';
import {
  atItsFields,
  type ClockSettings,
  keyOf,
  type PlaceHours,
  type Policy,
  useIsSavingClockSettings,
  useSaveClockSettings,
  type Versioned,
} from './clock-settings.ts';
import { useTexts } from './texts.ts';

/** An item at its place in the list. */
export type Row<Item> = { item: Item; index: number };

/** What is edited (null: a new item), and the settings that its form was opened on. */
type Edited = { key: string | null; base: Versioned };

type Props<Item> = {
  title: string;
  hint?: string;
  empty: string;
  add: string;
  found: Versioned;
  itemsOf: (settings: ClockSettings) => readonly Item[];
  columns: DataColumn<Row<Item>>[];
  nameOf: (item: Item) => string;
  /** The settings with these items in place of its own. */
  withItems: (settings: ClockSettings, items: Item[]) => ClockSettings;
  /** The fields of an item (undefined: of a new one), and the item of their values. */
  fields: (item: Item | undefined) => ReactNode;
  itemIn: (values: FormData) => Item;
  children?: ReactNode;
};

/** One of the two lists of the settings. Each change saves all of them. */
export function SettingsPart<Item extends Policy | PlaceHours>({
  title,
  hint,
  empty,
  add,
  found,
  columns,
  nameOf,
  ...part
}: Props<Item>) {
  const texts = useTexts();
  const mayEdit = may(useSession(), 'admin');
  const isSaving = useIsSavingClockSettings();
  const [edited, edit] = useState<Edited | null>(null);
  const items = part.itemsOf(found.settings);
  const save = useSaveClockSettings(() => edit(null));
  // The same object as long as the error is the same: by it the form knows which fields were corrected since.
  const error = useMemo(() => atItsFields(save.error, save.variables?.settings), [save.error, save.variables]);
  const close = () => {
    save.reset();
    edit(null);
  };
  const at = ({ key, base }: Edited) => {
    const all = part.itemsOf(base.settings);
    const index = all.findIndex((item) => keyOf(item) === key);
    return { all, index: index < 0 ? all.length : index };
  };
  const replace = (what: Edited, ...by: Item[]) => {
    const { all, index } = at(what);
    const settings = part.withItems(what.base.settings, all.toSpliced(index, 1, ...by));
    save.mutate({ ...what.base, settings });
  };
  const of = (item: Item | null): Edited => ({ key: item && keyOf(item), base: found });
  const former = edited ? at(edited).all[at(edited).index] : undefined;
  const actions: DataColumn<Row<Item>> = {
    title: texts.actions,
    kind: 'actions',
    cell: ({ item }) => (
      <RowActions
        name={nameOf(item)}
        isDisabled={isSaving}
        onEdit={() => edit(of(item))}
        onDelete={() => replace(of(item))}
      />
    ),
  };
  const rows = items.map((item, index) => ({ item, index }));
  const tools = (
    <>
      {rows.length > 0 && <ListFile name={title} of={title} columns={columns} read={async () => rows} />}
      {mayEdit && <Button onPress={() => edit(of(null))}>{add}</Button>}
    </>
  );
  return (
    <Section title={title} hint={hint} actions={tools}>
      {items.length === 0 ? (
        <EmptyState title={empty} />
      ) : (
        <>
          {part.children}
          <DataTable
            label={title}
            columns={mayEdit ? [...columns, actions] : columns}
            items={rows}
            keyOf={({ item }) => keyOf(item)}
          />
        </>
      )}
      {edited === null && <ErrorNote error={save.error} faultsAreElsewhere={false} />}
      <FormSheet
        title={edited?.key === null ? add : title}
        isOpen={edited !== null}
        onClose={close}
        submit={texts.save}
        sending={{ ...save, error }}
        onSubmit={(values) => edited && replace(edited, part.itemIn(values))}
      >
        {edited !== null && part.fields(former)}
      </FormSheet>
    </Section>
  );
}

type RowActionsProps = { name: string; isDisabled: boolean; onEdit: () => void; onDelete: () => void };

function RowActions({ name, isDisabled, onEdit, onDelete }: RowActionsProps) {
  const texts = useTexts();
  return (
    <>
      <Button variant="quiet" aria-label={texts.editOf(name)} isDisabled={isDisabled} onPress={onEdit}>
        {texts.edit}
      </Button>
      <Button variant="quiet" aria-label={texts.deleteOf(name)} isDisabled={isDisabled} onPress={onDelete}>
        {texts.delete}
      </Button>
    </>
  );
}
