import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { type DataColumn, DataTable } from '../../../components/data-display/data-table.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Page } from '../../../components/layout/page.tsx';
import { Section } from '../../../components/layout/sections.tsx';
import { EmptyState, ErrorNote, Loaded } from '../../../components/states.tsx';
import { formatWithTime } from '../../../i18n/format.ts';
import { useFrameTexts, useLocale } from '../../../i18n/locale.tsx';
import { momentOf, tomorrowByDay } from '../../../routing/local-moment.ts';
import { may } from '../../../session/permissions.ts';
import { useSession } from '../../../session/session.ts';
import { useParents } from '../entries.ts';
import {
  type ClockSettings,
  openingsText,
  type PlaceHours,
  type Policy,
  useClockSettings,
  usePreview,
  useSaveClockSettings,
} from './clock-settings.ts';
import { HoursSheet, weekdayName, weekdays } from './hours-sheet.tsx';
import { type Choices, clockNames, PolicySheet } from './policy-sheet.tsx';
import { useTexts } from './texts.ts';

/** What is edited: an item by its place in the list, or a new one. */
type Edited = { kind: 'policy' | 'hours'; index: number | null };
type Row<Item> = { item: Item; index: number };
type ListProps = Choices & { settings: ClockSettings; onEdit: (edited: Edited) => void };

export function DeadlinesPage() {
  const texts = useTexts();
  const [edited, edit] = useState<Edited | null>(null);
  const [places, domains] = [useParents('locations'), useParents('domains')];
  const optionsOf = (all: { id: string; name: string }[] = []) => all.map(({ id, name }) => ({ id, text: name }));
  const choices = { places: optionsOf(places.data), domains: optionsOf(domains.data) };
  const close = () => edit(null);
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Loaded query={useClockSettings()}>
        {(settings) => (
          <>
            <Policies settings={settings} {...choices} onEdit={edit} />
            <HoursOfPlaces settings={settings} {...choices} onEdit={edit} />
            {edited?.kind === 'policy' && (
              <PolicySheet settings={settings} {...choices} index={edited.index} onClose={close} />
            )}
            {edited?.kind === 'hours' && (
              <HoursSheet settings={settings} {...choices} index={edited.index} onClose={close} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Policies({ settings, places, domains, onEdit }: ListProps) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const where = useLocale();
  const mayEdit = may(useSession(), 'admin');
  const save = useSaveClockSettings();
  const [opened, setOpened] = useState(() => tomorrowByDay(new Date(), where.timeZone));
  const { data } = usePreview(settings, momentOf(opened, where.timeZone));
  const scopeOf = ({ location_id, domain_id, typology_id }: Policy) =>
    [named(places, location_id), named(domains, domain_id), typology_id && texts.typologies[typology_id]]
      .filter(Boolean)
      .join(', ') || texts.everything;
  const nameOf = (one: Policy) => `${texts.priorities[one.priority]}, ${scopeOf(one)}`;
  const columns: DataColumn<Row<Policy>>[] = [
    { title: texts.priority, kind: 'header', cell: ({ item }) => texts.priorities[item.priority] },
    { title: texts.appliesTo, cell: ({ item }) => scopeOf(item) },
    ...clockNames.map((name) => ({
      title: texts.names[name],
      cell: ({ item, index }: Row<Policy>) => {
        const [target, due] = [item[name], data?.due[index]?.[`${name}_due_at`]];
        return (
          target &&
          `${texts.within[target.unit](target.amount)}${due ? `: ${formatWithTime(new Date(due), where)}` : ''}`
        );
      },
    })),
    actionsColumn(nameOf, frame.actions, {
      mayEdit,
      onEdit: (index) => onEdit({ kind: 'policy', index }),
      onRemove: (index) => save.mutate({ ...settings, policies: settings.policies.filter((_, at) => at !== index) }),
    }),
  ];
  return (
    <Section title={texts.title}>
      {settings.policies.length === 0 ? (
        <EmptyState title={texts.noPolicies} />
      ) : (
        <>
          <Field label={texts.openedAt} type="datetime-local" value={opened} onChange={setOpened} />
          <DataTable label={texts.title} columns={columns} items={rowsOf(settings.policies)} keyOf={keyOf} />
        </>
      )}
      <ErrorNote error={save.error} faultsAreElsewhere={false} />
      {mayEdit && <Button onPress={() => onEdit({ kind: 'policy', index: null })}>{texts.addPolicy}</Button>}
    </Section>
  );
}

function HoursOfPlaces({ settings, places, onEdit }: ListProps) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const { locale } = useLocale();
  const mayEdit = may(useSession(), 'admin');
  const save = useSaveClockSettings();
  const nameOf = ({ location_id }: PlaceHours) => named(places, location_id) ?? texts.everything;
  const weekOf = ({ openings }: PlaceHours) =>
    weekdays
      .map((day) => [weekdayName(day, locale, 'short'), openingsText(openings, day)])
      .filter(([, text]) => text)
      .map((day) => day.join(' '))
      .join(', ');
  const columns: DataColumn<Row<PlaceHours>>[] = [
    { title: texts.place, kind: 'header', cell: ({ item }) => nameOf(item) },
    { title: texts.hours, isWide: true, cell: ({ item }) => weekOf(item) },
    { title: texts.timeZone, isMinor: true, cell: ({ item }) => item.time_zone },
    actionsColumn(nameOf, frame.actions, {
      mayEdit,
      onEdit: (index) => onEdit({ kind: 'hours', index }),
      onRemove: (index) => save.mutate({ ...settings, hours: settings.hours.filter((_, at) => at !== index) }),
    }),
  ];
  return (
    <Section title={texts.hours} hint={texts.hoursHint}>
      {settings.hours.length === 0 ? (
        <EmptyState title={texts.noHours} />
      ) : (
        <DataTable label={texts.hours} columns={columns} items={rowsOf(settings.hours)} keyOf={keyOf} />
      )}
      <ErrorNote error={save.error} faultsAreElsewhere={false} />
      {mayEdit && <Button onPress={() => onEdit({ kind: 'hours', index: null })}>{texts.addHours}</Button>}
    </Section>
  );
}

type RowActions = { mayEdit: boolean; onEdit: (index: number) => void; onRemove: (index: number) => void };

function actionsColumn<Item>(
  nameOf: (item: Item) => string,
  title: string,
  actions: RowActions,
): DataColumn<Row<Item>> {
  return {
    title,
    kind: 'actions',
    cell: ({ item, index }) =>
      actions.mayEdit && (
        <RowButtons name={nameOf(item)} onEdit={() => actions.onEdit(index)} onRemove={() => actions.onRemove(index)} />
      ),
  };
}

function RowButtons({ name, onEdit, onRemove }: { name: string; onEdit: () => void; onRemove: () => void }) {
  const texts = useTexts();
  const frame = useFrameTexts();
  return (
    <>
      <Button variant="quiet" aria-label={texts.edit(name)} onPress={onEdit}>
        {frame.edit}
      </Button>
      <Button variant="quiet" aria-label={texts.remove(name)} onPress={onRemove}>
        {frame.delete}
      </Button>
    </>
  );
}

const keyOf = ({ index }: Row<unknown>) => String(index);

function rowsOf<Item>(items: readonly Item[]): Row<Item>[] {
  return items.map((item, index) => ({ item, index }));
}

function named(options: Choices['places'], id: string | null): string | null {
  return id && (options.find((one) => one.id === id)?.text ?? id);
}
