import { useState } from 'react';
import { ComboBox, Select } from '../../../components/forms/choice.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { numberIn, textOf } from '../../../components/forms/form-values.ts';
import { FieldRow } from '../../../components/layout/sections.tsx';
import { formatWithTime } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { momentOf, tomorrowByDay } from '../../../routing/local-moment.ts';
import { type Choices, nameIn, type Policy, usePreview, type Versioned } from './clock-settings.ts';
import { type Row, SettingsPart } from './settings-part.tsx';
import { useTexts } from './texts.ts';

const clockNames = ['response', 'arrival', 'finish'] as const;
const units = ['hours', 'days'] as const;
const any = 'any';

/** What is due when, with what that would mean for a ticket opened at a time that can be chosen. */
export function Policies({ found, places, domains }: Choices & { found: Versioned }) {
  const texts = useTexts();
  const where = useLocale();
  const [opened, setOpened] = useState(() => tomorrowByDay(new Date(), where.timeZone));
  const { data } = usePreview(found.settings, momentOf(opened, where.timeZone));
  const scopeOf = ({ location_id, domain_id, typology_id }: Policy) =>
    [nameIn(places, location_id), nameIn(domains, domain_id), typology_id && texts.typologies[typology_id]]
      .filter(Boolean)
      .join(', ') || texts.everything;
  const dueCell =
    (name: (typeof clockNames)[number]) =>
    ({ item, index }: Row<Policy>) => {
      const [target, due] = [item[name], data?.due[index]?.[`${name}_due_at`]];
      const within = target && texts.within[target.unit](target.amount);
      return within && due ? texts.labelled(within, formatWithTime(new Date(due), where)) : within;
    };
  return (
    <SettingsPart
      title={texts.title}
      empty={texts.noPolicies}
      add={texts.addPolicy}
      found={found}
      itemsOf={({ policies }) => policies}
      withItems={(settings, policies) => ({ ...settings, policies })}
      nameOf={(one) => `${texts.priorities[one.priority]}, ${scopeOf(one)}`}
      columns={[
        { title: texts.priority, kind: 'header', cell: ({ item }) => texts.priorities[item.priority] },
        { title: texts.appliesTo, cell: ({ item }) => scopeOf(item) },
        ...clockNames.map((name) => ({ title: texts.names[name], cell: dueCell(name) })),
        { title: texts.warnedAt, isMinor: true, cell: ({ item }) => texts.percent(item.warn_percent) },
      ]}
      fields={(policy) => <PolicyFields policy={policy} places={places} domains={domains} />}
      itemIn={policyIn}
    >
      <Field label={texts.openedAt} type="datetime-local" value={opened} onChange={setOpened} />
    </SettingsPart>
  );
}

function PolicyFields({ policy, places, domains }: Choices & { policy: Policy | undefined }) {
  const texts = useTexts();
  const optionsOf = (names: Record<string, string>) => Object.entries(names).map(([id, text]) => ({ id, text }));
  const [priorities, typologies] = [optionsOf(texts.priorities), optionsOf(texts.typologies)];
  const chosen = (id: string | null | undefined) => ({
    formValue: 'key' as const,
    ...(id && { defaultSelectedKey: id }),
  });
  return (
    <>
      <Select label={texts.priority} name="priority" options={priorities} defaultValue={policy?.priority ?? 'high'} />
      <ComboBox label={texts.place} name="location_id" options={places} {...chosen(policy?.location_id)} />
      <ComboBox label={texts.domain} name="domain_id" options={domains} {...chosen(policy?.domain_id)} />
      <Select
        label={texts.typology}
        name="typology_id"
        options={[{ id: any, text: texts.everything }, ...typologies]}
        defaultValue={policy?.typology_id ?? any}
      />
      {clockNames.map((name) => (
        <FieldRow key={name}>
          <Field label={texts.names[name]} name={name} defaultValue={String(policy?.[name]?.amount ?? '')} />
          <Select
            label={texts.unit}
            name={`${name}.unit`}
            options={units.map((id) => ({ id, text: texts.units[id] }))}
            defaultValue={policy?.[name]?.unit ?? 'hours'}
          />
        </FieldRow>
      ))}
      <Field
        label={texts.warnPercent}
        name="warn_percent"
        hint={texts.warnHint}
        defaultValue={String(policy?.warn_percent ?? 75)}
      />
    </>
  );
}

/** What is no value of the API, it refuses. */
function policyIn(values: FormData): Policy {
  const targets = clockNames.map((name) => {
    const amount = numberIn(values, name);
    return [name, amount === null ? null : { amount, unit: textOf(values, `${name}.unit`) }];
  });
  const typology = textOf(values, 'typology_id');
  return {
    priority: textOf(values, 'priority'),
    location_id: textOf(values, 'location_id') ?? null,
    domain_id: textOf(values, 'domain_id') ?? null,
    typology_id: typology === any ? null : typology,
    ...Object.fromEntries(targets),
    warn_percent: numberIn(values, 'warn_percent') ?? undefined,
  } as Policy;
}
