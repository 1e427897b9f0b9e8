import { Select } from '../../../components/forms/choice.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { FieldRow } from '../../../components/layout/sections.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import { useCustomFields } from '../choices.ts';
import { priorities, type Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import { changedFields, type Draft, type Values, valuesOf } from './draft.ts';
import { ListFields } from './list-fields.tsx';

type Props = { ticket: Ticket; draft: Draft; onChange: (draft: Draft) => void };
type PartProps = { values: Values; set: (change: Draft) => void };

/** Fields that were not changed show the values of the ticket. */
export function EditFields({ ticket, draft, onChange }: Props) {
  const texts = useTexts();
  const current = valuesOf(ticket);
  const values = { ...current, ...draft, fields: { ...current.fields, ...draft.fields } };
  const set = (change: Draft) => onChange({ ...draft, ...change });
  return (
    <>
      <Field
        label={texts.ticketTitle}
        name="title"
        isRequired
        maxLength={200}
        autoFocus
        value={values.title}
        onChange={(title) => set({ title })}
      />
      <Field
        label={texts.description}
        name="description"
        isArea
        maxLength={10_000}
        value={values.description}
        onChange={(description) => set({ description })}
      />
      <Select
        label={texts.priority}
        name="priority"
        options={priorities.map((id) => ({ id, text: texts.priorities[id] }))}
        value={values.priority}
        onChange={(id) => set({ priority: priorities.find((one) => one === id) ?? 'none' })}
      />
      <ListFields own={ticket} values={values} onChange={set} />
      <CustomFields ticket={ticket} draft={draft} values={values} set={set} />
      {ticket.maintenance !== undefined && <Maintenance values={values} set={set} />}
    </>
  );
}

function CustomFields({ ticket, draft, values, set }: PartProps & { ticket: Ticket; draft: Draft }) {
  const { language } = useLocale();
  const { data = [] } = useCustomFields();
  const fields = data.filter(({ target }) => target !== 'contractor');
  const changed = changedFields(ticket, draft);
  return fields.map(({ _id, name }) => (
    <Field
      key={_id}
      label={name[language]}
      // The path that the API uses in a fault: by the index among the fields that are sent.
      name={changed.includes(_id) ? `fields.${changed.indexOf(_id)}.value` : `fields.${_id}`}
      value={values.fields[_id] ?? ''}
      onChange={(value) => set({ fields: { ...draft.fields, [_id]: value } })}
    />
  ));
}

function Maintenance({ values, set }: PartProps) {
  const texts = useTexts();
  return (
    <>
      <Field
        label={texts.maintenance}
        name="maintenance"
        maxLength={200}
        value={values.maintenance}
        onChange={(maintenance) => set({ maintenance })}
      />
      <FieldRow>
        <Field
          label={texts.start}
          name="start_date"
          type="date"
          value={values.start_date}
          onChange={(start_date) => set({ start_date })}
        />
        <Field
          label={texts.end}
          name="end_date"
          type="date"
          value={values.end_date}
          onChange={(end_date) => set({ end_date })}
        />
      </FieldRow>
    </>
  );
}
