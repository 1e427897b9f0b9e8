import { useMemo } from 'react';
import { ComboBox, Select } from '../../../components/forms/choice.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Form } from '../../../components/forms/form.tsx';
import { FormActions } from '../../../components/forms/form-actions.tsx';
import { numberIn, textOf } from '../../../components/forms/form-values.ts';
import { FieldRow } from '../../../components/layout/sections.tsx';
import { Sheet } from '../../../components/overlays/overlay.tsx';
import { useFrameTexts } from '../../../i18n/locale.tsx';
import { atItsFields, type ClockSettings, type Policy, useSaveClockSettings, withItem } from './clock-settings.ts';
import { useTexts } from './texts.ts';

export type Choices = Record<'places' | 'domains', { id: string; text: string }[]>;
type Props = Choices & { settings: ClockSettings; index: number | null; onClose: () => void };

export const clockNames = ['response', 'arrival', 'finish'] as const;
const units = ['hours', 'days'] as const;
const any = 'any';

/** Adds a policy, or changes the one at `index`. */
export function PolicySheet({ settings, index, places, domains, onClose }: Props) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const policy = index === null ? undefined : settings.policies[index];
  const save = useSaveClockSettings(onClose);
  // The same object as long as the error is the same: by it the form knows which fields were corrected since.
  const error = useMemo(() => atItsFields(save.error, save.variables), [save.error, save.variables]);
  const submit = (values: FormData) =>
    save.mutate({ ...settings, policies: withItem(settings.policies, index, policyIn(values)) });
  const optionsOf = (named: Record<string, string>) => Object.entries(named).map(([id, text]) => ({ id, text }));
  return (
    <Sheet title={index === null ? texts.addPolicy : texts.title} isOpen onOpenChange={onClose}>
      <Form
        error={error}
        onSubmit={submit}
        actions={<FormActions onCancel={onClose} submit={frame.save} isPending={save.isPending} />}
      >
        <Select
          label={texts.priority}
          name="priority"
          options={optionsOf(texts.priorities)}
          defaultValue={policy?.priority ?? 'high'}
        />
        <ComboBox
          label={texts.place}
          name="location_id"
          formValue="key"
          options={places}
          {...(policy?.location_id && { defaultSelectedKey: policy.location_id })}
        />
        <ComboBox
          label={texts.domain}
          name="domain_id"
          formValue="key"
          options={domains}
          {...(policy?.domain_id && { defaultSelectedKey: policy.domain_id })}
        />
        <Select
          label={texts.typology}
          name="typology_id"
          options={[{ id: any, text: texts.everything }, ...optionsOf(texts.typologies)]}
          defaultValue={policy?.typology_id ?? any}
        />
        {clockNames.map((name) => (
          <FieldRow key={name}>
            <Field
              label={texts.names[name]}
              name={name}
              type="number"
              defaultValue={String(policy?.[name]?.amount ?? '')}
            />
            <Select
              label={texts.unit}
              name={`${name}.unit`}
              options={units.map((id) => ({ id, text: texts.units[id] }))}
              defaultValue={policy?.[name]?.unit ?? 'hours'}
            />
          </FieldRow>
        ))}
      </Form>
    </Sheet>
  );
}

function policyIn(values: FormData): Policy {
  const targetIn = (name: string) => {
    const amount = numberIn(values, name);
    return amount === null
      ? null
      : { amount, unit: units.find((one) => one === values.get(`${name}.unit`)) ?? 'hours' };
  };
  const typology = textOf(values, 'typology_id');
  return {
    priority: textOf(values, 'priority') as Policy['priority'],
    location_id: textOf(values, 'location_id') ?? null,
    domain_id: textOf(values, 'domain_id') ?? null,
    typology_id: typology === any ? null : ((typology ?? null) as Policy['typology_id']),
    response: targetIn('response'),
    arrival: targetIn('arrival'),
    finish: targetIn('finish'),
  } as Policy;
}
