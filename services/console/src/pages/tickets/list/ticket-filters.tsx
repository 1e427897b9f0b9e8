import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { ComboBox, type Option, Select } from '../../../components/forms/choice.tsx';
import { SettledSearch } from '../../../components/forms/field.tsx';
import { useMedia } from '../../../components/layout/use-media.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { useUrlState } from '../../../routing/url-state.ts';
import { useSession } from '../../../session/session.ts';
import { ticketStatuses } from '../../../words/status-words.ts';
import { fullName, useContractors, useLocations, useUsers } from '../choices.ts';
import { filtersOf, priorities, sortColumns, statuses } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';

const any = 'any';
const nothing = {
  view: null,
  status: null,
  q: null,
  priority: null,
  contractor: null,
  place: null,
  manager: null,
  due: null,
  sort: null,
  order: null,
};

export type TicketFilter = ReturnType<typeof useTicketFilter>;

/** The filter of the list, kept in the address. */
export function useTicketFilter() {
  const { company } = useSession();
  const [values, set] = useUrlState(filtersOf(company.kind));
  return { values, set, clear: () => set(nothing), isSet: Object.keys(values).length > 0 };
}

/**
 * On a phone only the search is shown, and the rest behind a button, to leave room for the tickets.
 */
export function TicketFilters({ filter }: { filter: TicketFilter }) {
  const texts = useTexts();
  const isPhone = useMedia('(max-width: 639px)');
  const [isOpen, setOpen] = useState(false);
  const { values, set } = filter;
  const { view: _view, q: _q, ...chosen } = values;
  return (
    <div className={styles['filters']}>
      <div className={styles['search']}>
        <SettledSearch
          label={texts.search}
          placeholder={texts.searchHint}
          value={values.q ?? ''}
          onSearch={(q) => set({ q }, { replace: true })}
        />
      </div>
      {isPhone && (
        <Button aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {texts.filters(Object.keys(chosen).length)}
        </Button>
      )}
      {(!isPhone || isOpen) && <Filters filter={filter} />}
    </div>
  );
}

function Filters({ filter }: { filter: TicketFilter }) {
  const texts = useTexts();
  const { language } = useLocale();
  const { company } = useSession();
  const { values, set } = filter;
  const anyOption = { id: any, text: texts.any };
  const statusOptions = statuses.map((id) => ({ id, text: ticketStatuses[id][language] }));
  return (
    <>
      <Select
        label={texts.status}
        options={[anyOption, ...statusOptions]}
        value={values.status ?? any}
        onChange={(id) => set({ status: statuses.find((one) => one === id) ?? null })}
      />
      <Select
        label={texts.priority}
        options={[anyOption, ...priorities.map((id) => ({ id, text: texts.priorities[id] }))]}
        value={values.priority ?? any}
        onChange={(id) => set({ priority: priorities.find((one) => one === id) ?? null })}
      />
      {company.kind === 'client' && <Choices filter={filter} />}
      <Select
        label={texts.deadlines.filter}
        options={[anyOption, { id: 'overdue', text: texts.deadlines.overdue }]}
        value={values.due ?? any}
        onChange={(id) => set({ due: id === 'overdue' ? 'overdue' : null })}
      />
      <Select
        label={texts.sortBy}
        options={sortColumns[company.kind].map((id) => ({ id, text: texts.sorts[id] }))}
        value={values.sort ?? 'created_at'}
        onChange={(id) =>
          set({ sort: sortColumns[company.kind].find((one) => one === id && one !== 'created_at') ?? null })
        }
      />
      <Select
        label={texts.order}
        options={(['desc', 'asc'] as const).map((id) => ({ id, text: texts.orders[id] }))}
        value={values.order ?? 'desc'}
        onChange={(id) => set({ order: id === 'asc' ? 'asc' : null })}
      />
    </>
  );
}

function Choices({ filter: { values, set } }: { filter: TicketFilter }) {
  const texts = useTexts();
  const named = (all: { _id: string; name: string | null }[] = []) =>
    all.map(({ _id, name }) => ({ id: _id, text: name ?? _id }));
  const contractors = useContractors();
  const locations = useLocations();
  const users = useUsers();
  const people = users.data?.map((user) => ({
    id: user._id,
    text: fullName(user),
    ...(user.email && { hint: user.email }),
  }));
  return (
    <>
      <Choice
        label={texts.contractor}
        options={contractors.data && named(contractors.data)}
        value={values.contractor}
        onChange={(contractor) => set({ contractor })}
      />
      <Choice
        label={texts.place}
        options={locations.data && named(locations.data)}
        value={values.place}
        onChange={(place) => set({ place })}
      />
      <Choice label={texts.manager} options={people} value={values.manager} onChange={(manager) => set({ manager })} />
    </>
  );
}

type ChoiceProps = {
  label: string;
  /** Undefined until they are loaded. */
  options: Option[] | undefined;
  value: string | undefined;
  onChange: (id: string | null) => void;
};

/**
 * A filter by one of many options; empty: any. An id of the address that is no option is shown as
 * no longer listed.
 */
function Choice({ label, options, value, onChange }: ChoiceProps) {
  const texts = useTexts();
  const isGone = options !== undefined && value !== undefined && options.every(({ id }) => id !== value);
  const shown = [...(options ?? []), ...(isGone ? [{ id: value, text: texts.noLongerListed }] : [])];
  return (
    <ComboBox
      label={label}
      placeholder={texts.any}
      options={shown}
      selectedKey={value ?? null}
      onSelectionChange={(id) => (id ?? undefined) !== value && onChange(id === null ? null : String(id))}
    />
  );
}
