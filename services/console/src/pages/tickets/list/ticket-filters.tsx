import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { FilterBar } from '../../../components/filters/filter-bar.tsx';
import type { FilterField } from '../../../components/filters/filter-control.tsx';
import { FilterDialog } from '../../../components/filters/filter-dialog.tsx';
import { useMedia } from '../../../components/layout/use-media.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { useUrlState } from '../../../routing/url-state.ts';
import { useSession } from '../../../session/session.ts';
import { groupsInWords, inWords, ticketFigures } from '../../../words/figure-words.ts';
import { ticketStatuses } from '../../../words/status-words.ts';
import { fullName, optionsOf, useClients, useContractors, useEquipments, useLocations, useUsers } from '../choices.ts';
import { type Filter, filtersOf, priorities, rangesOf, sortColumns, type Whose } from '../list-query.ts';
import { useTexts } from '../texts.ts';

type Name = keyof Filter;
type Field = FilterField<Name>;

export type TicketFilter = ReturnType<typeof useTicketFilter>;

/** The filter of the list, kept in the address. */
export function useTicketFilter() {
  const { company } = useSession();
  const allowed = filtersOf(company.kind);
  const [values, set] = useUrlState(allowed);
  const nothing = Object.fromEntries(Object.keys(allowed).map((name) => [name, null]));
  const isSet = Object.keys(values).some((name) => name !== 'view' || values.view !== 'all');
  return { values, set, clear: () => set(nothing), isSet };
}

/**
 * On a phone only the search is shown, and the rest behind a button, to leave room for the tickets.
 */
export function TicketFilters({ filter }: { filter: TicketFilter }) {
  const texts = useTexts();
  const isPhone = useMedia('(max-width: 639px)');
  const [isOpen, setOpen] = useState(false);
  const [isMoreOpened, setMoreOpened] = useState(false);
  const { values, set } = filter;
  const { view: _view, q: _q, ...chosen } = values;
  const [fields, more] = [useFields(), useMoreFields(isMoreOpened, values.countedOf)];
  const isShown = !isPhone || isOpen;
  return (
    <FilterBar<Name>
      search={texts.search}
      hint={texts.searchHint}
      fields={isShown ? fields : []}
      values={values}
      onChange={set}
    >
      {isShown && (
        <FilterDialog<Name>
          title={texts.moreFilters}
          counted={texts.moreFiltersSet}
          fields={more}
          values={values}
          onFilter={(wanted) => set(wanted as object)}
          onOpen={() => setMoreOpened(true)}
        />
      )}
      {isPhone && (
        <Button aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {texts.filters(Object.keys(chosen).length)}
        </Button>
      )}
    </FilterBar>
  );
}

function useFields(): Field[] {
  const texts = useTexts();
  const { language } = useLocale();
  const { company } = useSession();
  const sorts = sortColumns[company.kind].map((id) => ({ id, text: texts.sorts[id] }));
  const orders = (['desc', 'asc'] as const).map((id) => ({ id, text: texts.orders[id] }));
  const priorityOptions = priorities.map((id) => ({ id, text: texts.priorities[id] }));
  return [
    { name: 'status', label: texts.status, kind: 'choice', options: inWords(ticketStatuses, language) },
    { name: 'priority', label: texts.priority, kind: 'choice', options: priorityOptions },
    ...useWhoseFields(),
    { name: 'sort', label: texts.sortBy, kind: 'choice', options: sorts, unset: 'created_at' },
    { name: 'order', label: texts.order, kind: 'choice', options: orders, unset: 'desc' },
  ];
}

/** For or by whom, and where. A contractor has neither a directory nor places, but several clients. */
export function useWhoseFields(): FilterField<keyof Whose>[] {
  const texts = useTexts();
  const isClient = useSession().company.kind === 'client';
  const clients = useClients({ isOn: !isClient });
  const contractors = useContractors({ isOn: isClient });
  const locations = useLocations({ isOn: isClient });
  const people = useUsers({ isOn: isClient }).data?.map((user) => ({
    id: user._id,
    text: fullName(user),
    ...(user.email && { hint: user.email }),
  }));
  if (!isClient) return [{ name: 'client', label: texts.client, kind: 'lookup', options: optionsOf(clients.data) }];
  return [
    { name: 'contractor', label: texts.contractor, kind: 'lookup', options: optionsOf(contractors.data) },
    { name: 'place', label: texts.place, kind: 'lookup', options: optionsOf(locations.data) },
    { name: 'manager', label: texts.manager, kind: 'lookup', options: people },
  ];
}

/** Those that there is no room for. */
function useMoreFields(isOpened: boolean, countedOf: string | undefined): Field[] {
  const texts = useTexts();
  const { language } = useLocale();
  const { company } = useSession();
  const isOn = company.kind === 'client';
  const equipments = useEquipments({ isOn: isOn && isOpened });
  const [contractors, places] = [useContractors({ isOn }), useLocations({ isOn })];
  const clients = useClients({ isOn: !isOn && isOpened });
  const named = [contractors, places, clients].map(({ data }) => optionsOf(data));
  const { days, amounts } = rangesOf(company.kind);
  const groups = groupsInWords(countedOf, texts.none, ...named);
  const overdue = [{ id: 'overdue', text: texts.deadlines.overdue }];
  return [
    { name: 'due', label: texts.deadlines.filter, kind: 'choice', options: overdue },
    { name: 'countedIn', label: texts.countedIn, kind: 'choice', options: inWords(ticketFigures, language) },
    ...(countedOf ? [{ name: 'countedOf', label: texts.countedOf, kind: 'choice', options: groups } as const] : []),
    ...(isOn
      ? ([
          { name: 'equipment', label: texts.equipment, kind: 'lookup', options: optionsOf(equipments.data) },
        ] satisfies Field[])
      : []),
    ...days.map((name): Field => ({ name, label: texts.rangeNames[name], kind: 'day' })),
    ...amounts.map((name): Field => ({ name, label: texts.rangeNames[name], kind: 'amount' })),
  ];
}
