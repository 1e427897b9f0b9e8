import { useMemo } from 'react';
import { ComboBox, RadioGroup } from '../../../components/forms/choice.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Form } from '../../../components/forms/form.tsx';
import { FormActions } from '../../../components/forms/form-actions.tsx';
import { textOf } from '../../../components/forms/form-values.ts';
import { Sheet } from '../../../components/overlays/overlay.tsx';
import { useFrameTexts, useLocale } from '../../../i18n/locale.tsx';
import {
  atItsFields,
  type ClockSettings,
  openingsIn,
  openingsText,
  type PlaceHours,
  useSaveClockSettings,
  withItem,
} from './clock-settings.ts';
import type { Choices } from './policy-sheet.tsx';
import { useTexts } from './texts.ts';

type Props = Pick<Choices, 'places'> & { settings: ClockSettings; index: number | null; onClose: () => void };

export const weekdays = [1, 2, 3, 4, 5, 6, 7] as const;
const office = '08:00-18:00';

/** `Monday` for 1. The first of January 2024 was a Monday. */
export function weekdayName(day: number, locale: string, weekday: 'long' | 'short' = 'long'): string {
  return new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(Date.UTC(2024, 0, day));
}

/** Adds the hours of a place, or changes those at `index`. */
export function HoursSheet({ settings, index, places, onClose }: Props) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const { locale, timeZone } = useLocale();
  const hours = index === null ? undefined : settings.hours[index];
  const save = useSaveClockSettings(onClose);
  // The same object as long as the error is the same: by it the form knows which fields were corrected since.
  const error = useMemo(() => atItsFields(save.error, save.variables), [save.error, save.variables]);
  const submit = (values: FormData) =>
    save.mutate({ ...settings, hours: withItem(settings.hours, index, hoursIn(values)) });
  const textOn = (day: number) => (hours ? openingsText(hours.openings, day) : day < 6 ? office : '');
  return (
    <Sheet title={index === null ? texts.addHours : texts.hours} isOpen onOpenChange={onClose}>
      <Form
        error={error}
        onSubmit={submit}
        actions={<FormActions onCancel={onClose} submit={frame.save} isPending={save.isPending} />}
      >
        <ComboBox
          label={texts.place}
          name="location_id"
          formValue="key"
          options={places}
          {...(hours?.location_id && { defaultSelectedKey: hours.location_id })}
        />
        <Field label={texts.timeZone} name="time_zone" isRequired defaultValue={hours?.time_zone ?? timeZone} />
        {weekdays.map((day) => (
          <Field
            key={day}
            label={weekdayName(day, locale)}
            name={`day.${day}`}
            defaultValue={textOn(day)}
            {...(day === 7 && { hint: texts.openingsHint })}
          />
        ))}
        <RadioGroup
          label={texts.holidays}
          name="holidays"
          defaultValue={hours?.holidays === null ? 'none' : 'FR'}
          options={(['FR', 'none'] as const).map((id) => ({ id, text: texts.holidayKinds[id] }))}
        />
        <Field
          label={texts.closed}
          name="closed"
          hint={texts.closedHint}
          isArea
          defaultValue={hours?.closed.join('\n') ?? ''}
        />
      </Form>
    </Sheet>
  );
}

function hoursIn(values: FormData): PlaceHours {
  return {
    location_id: textOf(values, 'location_id') ?? null,
    time_zone: textOf(values, 'time_zone') ?? '',
    openings: weekdays.flatMap((day) => openingsIn(textOf(values, `day.${day}`) ?? '', day)),
    holidays: values.get('holidays') === 'FR' ? 'FR' : null,
    closed: (textOf(values, 'closed') ?? '').split(/[\s,;]+/).filter(Boolean),
  } as PlaceHours;
}
