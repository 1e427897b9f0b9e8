import { useMutation } from '@tanstack/react-query';
import { queryClient } from '../../api/query.ts';
import { ComboBox, RadioGroup } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/form.tsx';
import { FieldRow } from '../../components/layout/sections.tsx';
import { FormSheet } from '../../components/overlays/form-sheet.tsx';
import { Loaded } from '../../components/states.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { announce } from '../../session/actions.ts';
import { useParents } from './entries.ts';
import type { Entry, EntryInput, EquipmentFacts } from './entry.ts';
import { type KindName, kindOf } from './kinds.ts';
import { useTexts } from './texts.ts';

type Props = { kind: KindName; entry: Entry | null; onClose: () => void };

export function EntrySheet({ kind, entry, onClose }: Props) {
  const texts = useTexts();
  const { language } = useLocale();
  const save = useMutation({
    mutationFn: (input: EntryInput) => {
      const { create, change } = kindOf(kind, language);
      return entry ? change(entry.id, input) : create(input);
    },
    onSuccess: async (_answer, { name, names }) => {
      await queryClient.invalidateQueries({ queryKey: ['settings', kind] });
      onClose();
      const called = names?.[language] ?? name;
      announce(entry ? texts.saved(called) : texts.added(called));
    },
  });
  return (
    <FormSheet
      title={entry?.name ?? texts.labelled(texts[kind], texts.add)}
      onClose={onClose}
      submit={entry ? texts.save : texts.add}
      sending={save}
      onSubmit={(values) => save.mutate(inputOf(kind, values, entry))}
    >
      <EntryFields kind={kind} entry={entry} />
    </FormSheet>
  );
}

function EntryFields({ kind, entry }: Omit<Props, 'onClose'>) {
  const texts = useTexts();
  if (kind === 'custom-fields') return <CustomFieldFields entry={entry} />;
  return (
    <>
      <Field label={texts.name} name="name" isRequired autoFocus defaultValue={entry?.name ?? ''} />
      {kind === 'locations' && <LocationFields entry={entry} />}
      {kind === 'equipments' && <EquipmentFields entry={entry} />}
      {kind !== 'jobs' && <Parent kind={kind} entry={entry} />}
    </>
  );
}

function Parent({ kind, entry }: Omit<Props, 'onClose'>) {
  const texts = useTexts();
  return (
    <Loaded query={useParents(kind)} rows={1}>
      {(parents) => (
        <ComboBox
          label={texts.parent}
          name="parent_id"
          formValue="key"
          options={parents.filter(({ id }) => id !== entry?.id).map(({ id, name }) => ({ id, text: name }))}
          {...(entry?.parentId && { defaultSelectedKey: entry.parentId })}
        />
      )}
    </Loaded>
  );
}

function LocationFields({ entry }: { entry: Entry | null }) {
  const texts = useTexts();
  const address = entry?.address;
  return (
    <>
      <Field label={texts.reference} name="reference" defaultValue={entry?.reference ?? ''} />
      <Field label={texts.route} name="address.route" defaultValue={address?.route ?? ''} />
      <FieldRow>
        <Field label={texts.postalCode} name="address.postalCode" defaultValue={address?.postalCode ?? ''} />
        <Field label={texts.city} name="address.city" defaultValue={address?.city ?? ''} />
      </FieldRow>
      <Field label={texts.country} name="address.country" defaultValue={address?.country ?? ''} />
    </>
  );
}

function EquipmentFields({ entry }: { entry: Entry | null }) {
  const texts = useTexts();
  const facts = entry?.facts;
  return (
    <>
      <Loaded query={useParents('locations')} rows={1}>
        {(places) => (
          <ComboBox
            label={texts.place}
            name="location_id"
            formValue="key"
            options={places.map(({ id, name }) => ({ id, text: name }))}
            {...(facts?.location_id && { defaultSelectedKey: facts.location_id })}
          />
        )}
      </Loaded>
      <Field label={texts.make} name="make" defaultValue={facts?.make ?? ''} />
      <Field label={texts.serialNumber} name="serial_number" defaultValue={facts?.serial_number ?? ''} />
      <FieldRow>
        <Field
          label={texts.inServiceSince}
          name="in_service_since"
          type="date"
          defaultValue={facts?.in_service_since ?? ''}
        />
        <Field
          label={texts.warrantyUntil}
          name="warranty_until"
          type="date"
          defaultValue={facts?.warranty_until ?? ''}
        />
      </FieldRow>
    </>
  );
}

function CustomFieldFields({ entry }: { entry: Entry | null }) {
  const texts = useTexts();
  return (
    <>
      <Field label={texts.nameFr} name="name.fr" isRequired autoFocus defaultValue={entry?.names?.fr ?? ''} />
      <Field label={texts.nameEn} name="name.en" isRequired defaultValue={entry?.names?.en ?? ''} />
      <RadioGroup
        label={texts.target}
        name="target"
        defaultValue={entry?.target ?? 'both'}
        options={(['both', 'ticket', 'contractor'] as const).map((id) => ({ id, text: texts[id] }))}
      />
    </>
  );
}

function inputOf(kind: KindName, values: FormData, entry: Entry | null): EntryInput {
  const text = (name: string) => textOf(values, name) ?? null;
  if (kind === 'custom-fields') {
    const target = values.get('target');
    const names = { fr: text('name.fr') ?? '', en: text('name.en') ?? '' };
    return { name: names.fr, names, target: target === 'ticket' || target === 'contractor' ? target : null };
  }
  // The field is missing if its options could not be loaded: then the parent stays.
  const parentId = values.has('parent_id') ? text('parent_id') : (entry?.parentId ?? null);
  const input = { name: text('name') ?? '', parentId };
  if (kind === 'equipments') return { ...input, facts: factsIn(values, entry) };
  if (kind !== 'locations') return input;
  const given = {
    route: text('address.route'),
    postalCode: text('address.postalCode'),
    city: text('address.city'),
    country: text('address.country'),
  };
  // The API replaces an address as a whole, so the fields that the form does not show are sent again.
  const address = { ...blank, ...entry?.address, ...given };
  const isEmpty = Object.values(address).every((value) => value === null);
  return { ...input, reference: text('reference'), address: isEmpty ? null : address };
}

function factsIn(values: FormData, entry: Entry | null): EquipmentFacts {
  const text = (name: string) => textOf(values, name) ?? null;
  return {
    // As for the parent: the field is missing if its options could not be loaded.
    location_id: values.has('location_id') ? text('location_id') : (entry?.facts?.location_id ?? null),
    serial_number: text('serial_number'),
    make: text('make'),
    in_service_since: text('in_service_since'),
    warranty_until: text('warranty_until'),
  };
}

const blank = {
  postalCode: null,
  country: null,
  city: null,
  route: null,
  streetNumber: null,
  fullAddress: null,
  zone: null,
  lat: null,
  lng: null,
};
