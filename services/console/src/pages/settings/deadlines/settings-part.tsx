import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { type DataColumn, DataTable } from '../../../components/data-display/data-table.tsx';
import { Form } from '../../../components/forms/form.tsx';
import { FormActions } from '../../../components/forms/form-actions.tsx';
import { Section } from '../../../components/layout/sections.tsx';
import { Sheet } from '../../../components/overlays/overlay.tsx';
import { EmptyState, ErrorNote } from '../../../components/states.tsx';
import { useFrameTexts } from '../../../i18n/locale.tsx';
import { may } from '../../../session/permissions.ts';
import { useSession } from '../../../session/session.ts';
import { atItsFields, type ClockSettings, useSaveClockSettings } from './clock-settings.ts';
import { useTexts } from './texts.ts';

/** An item at its place in the list. */
export type Row<Item> = { item: Item; index: number };

type Props<Item> = {
  title: string;
  hint?: string;
  empty: string;
  add: string;
  items: readonly Item[];
  columns: DataColumn<Row<Item>>[];
  nameOf: (item: Item) => string;
  /** The settings with these items in place of its own. */
  withItems: (items: Item[]) => ClockSettings;
  /** The fields of an item (undefined: of a new one), and the item of their values. */
  fields: (item: Item | undefined) => ReactNode;
  itemIn: (values: FormData) => Item;
  children?: ReactNode;
};

/** One of the two lists of the settings. Each change saves all of them. */
export function SettingsPart<Item>({ title, hint, empty, add, items, columns, nameOf, ...part }: Props<Item>) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const mayEdit = may(useSession(), 'admin');
  const [edited, edit] = useState<number | null>(null);
  const save = useSaveClockSettings(() => edit(null));
  // The same object as long as the error is the same: by it the form knows which fields were corrected since.
  const error = useMemo(() => atItsFields(save.error, save.variables), [save.error, save.variables]);
  const close = () => {
    save.reset();
    edit(null);
  };
  const replace = (index: number, ...by: Item[]) => save.mutate(part.withItems(items.toSpliced(index, 1, ...by)));
  const actions: DataColumn<Row<Item>> = {
    title: frame.actions,
    kind: 'actions',
    cell: ({ item, index }) => (
      <>
        <Button variant="quiet" aria-label={texts.edit(nameOf(item))} onPress={() => edit(index)}>
          {frame.edit}
        </Button>
        <Button variant="quiet" aria-label={texts.remove(nameOf(item))} onPress={() => replace(index)}>
          {frame.delete}
        </Button>
      </>
    ),
  };
  return (
    <Section title={title} hint={hint}>
      {items.length === 0 ? (
        <EmptyState title={empty} />
      ) : (
        <>
          {part.children}
          <DataTable
            label={title}
            columns={mayEdit ? [...columns, actions] : columns}
            items={items.map((item, index) => ({ item, index }))}
            keyOf={({ index }) => String(index)}
          />
        </>
      )}
      {edited === null && <ErrorNote error={save.error} faultsAreElsewhere={false} />}
      {mayEdit && <Button onPress={() => edit(items.length)}>{add}</Button>}
      <Sheet title={edited === items.length ? add : title} isOpen={edited !== null} onOpenChange={close}>
        <Form
          error={error}
          onSubmit={(values) => replace(edited ?? items.length, part.itemIn(values))}
          actions={<FormActions onCancel={close} submit={frame.save} isPending={save.isPending} />}
        >
          {edited !== null && part.fields(items[edited])}
        </Form>
      </Sheet>
    </Section>
  );
}
