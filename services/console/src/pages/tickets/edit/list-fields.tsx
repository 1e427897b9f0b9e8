import type { Option } from '../../../components/forms/choice.tsx';
import { MultiSelect } from '../../../components/forms/multi-select.tsx';
import { fullName, useDomains, useEquipments, useJobs, useLocations, useUsers } from '../choices.ts';
import type { Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import { type Lists, listNames } from './draft.ts';

type Own = Pick<Ticket, 'locations' | 'equipments' | 'jobs' | 'domains' | 'managers' | 'contacts'>;
type Props = {
  /** What the ticket refers to, which may have been deleted since; nothing for a new ticket. */
  own?: Own;
  values: Lists;
  onChange: (change: Partial<Lists>) => void;
};

const nothing: Own = { locations: [], equipments: [], jobs: [], domains: [], managers: [], contacts: [] };

/** Fields for locations, equipments, jobs, domains and people, for clients. */
export function ListFields({ own = nothing, values, onChange }: Props) {
  const texts = useTexts();
  const { data: users = [] } = useUsers();
  const named = (people: Own['managers']): Named[] => people.map((one) => ({ _id: one._id, name: fullName(one) }));
  const lists = {
    location_ids: [texts.places, optionsOf(useLocations().data, own.locations)],
    equipment_ids: [texts.equipment, optionsOf(useEquipments().data, own.equipments)],
    job_ids: [texts.jobs, optionsOf(useJobs().data, own.jobs)],
    domain_ids: [texts.domains, optionsOf(useDomains().data, own.domains)],
    manager_ids: [texts.managers, optionsOf(named(users), named(own.managers))],
    contact_ids: [texts.contacts, optionsOf(named(users), named(own.contacts))],
  } as const;
  return listNames.map((name) => (
    <MultiSelect
      key={name}
      label={lists[name][0]}
      name={name}
      options={lists[name][1]}
      value={values[name]}
      onChange={(ids) => onChange({ [name]: ids })}
    />
  ));
}

type Named = { _id: string; name: string | null };

/** All options, with those that the ticket refers to and that may be deleted. */
function optionsOf(all: readonly Named[] = [], own: readonly Named[]): Option[] {
  const known = new Map([...own, ...all].map(({ _id, name }) => [_id, name ?? _id]));
  return [...known].map(([id, text]) => ({ id, text }));
}
