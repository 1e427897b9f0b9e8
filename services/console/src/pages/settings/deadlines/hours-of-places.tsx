import { ComboBox, RadioGroup } from '../../../components/forms/choice.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { textOf } from '../../../components/forms/form-values.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { type Choices, nameIn, type PlaceHours, type Versioned } from './clock-settings.ts';
import { SettingsPart } from './settings-part.tsx';
import { useTexts } from './texts.ts';

const weekdays = [1, 2, 3, 4, 5, 6, 7];
const officeDays = 5;
type Props = Pick<Choices, 'places'>;

export function HoursOfPlaces({ found, places }: Props & { found: Versioned }) {
  const texts = useTexts();
  const { locale } = useLocale();
  const nameOf = ({ location_id }: PlaceHours) => nameIn(places, location_id) ?? texts.everything;
  const weekOf = (hours: PlaceHours) => {
    const days = weekdays.map((day) => [weekdayName(day, locale, 'short'), openingsText(hours, day)]);
    return days.flatMap(([day, text]) => (text ? `${day} ${text}` : [])).join(', ');
  };
  return (
    <SettingsPart
      title={texts.hours}
      hint={texts.hoursHint}
      empty={texts.noHours}
      add={texts.addHours}
      found={found}
      itemsOf={({ hours }) => hours}
      withItems={(settings, hours) => ({ ...settings, hours })}
      nameOf={nameOf}
      columns={[
        { title: texts.place, kind: 'header', cell: ({ item }) => nameOf(item) },
        { title: texts.hours, isWide: true, cell: ({ item }) => weekOf(item) },
        { title: texts.timeZone, isMinor: true, cell: ({ item }) => item.time_zone },
      ]}
      fields={(hours) => <HoursFields hours={hours} places={places} />}
      itemIn={hoursIn}
    />
  );
}

function HoursFields({ hours, places }: Props & { hours: PlaceHours | undefined }) {
  const texts = useTexts();
  const { locale, timeZone } = useLocale();
  const chosen = hours?.location_id ? { defaultSelectedKey: hours.location_id } : {};
  const textOn = (day: number) => (hours ? openingsText(hours, day) : day <= officeDays ? '08:00-18:00' : '');
  return (
    <>
      <ComboBox label={texts.place} name="location_id" formValue="key" options={places} {...chosen} />
      <Field label={texts.timeZone} name="time_zone" isRequired defaultValue={hours?.time_zone ?? timeZone} />
      {weekdays.map((day) => (
        <Field key={day} label={weekdayName(day, locale)} name={`day.${day}`} defaultValue={textOn(day)} />
      ))}
      <p>{texts.openingsHint}</p>
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
    </>
  );
}

/** `Monday` for 1. The first of January 2024 was a Monday. */
function weekdayName(day: number, locale: string, weekday: 'long' | 'short' = 'long'): string {
  return new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(Date.UTC(2024, 0, day));
}

/** `08:00-12:00 13:30-18:00` */
function openingsText({ openings }: PlaceHours, day: number): string {
  const own = openings.filter((one) => one.day === day);
  return own.map(({ from, to }) => `${from}-${to}`).join(' ');
}

/** What is no time, or no day, the API refuses. */
function hoursIn(values: FormData): PlaceHours {
  const words = (name: string) => (textOf(values, name) ?? '').split(/[\s,;]+/).filter(Boolean);
  return {
    location_id: textOf(values, 'location_id') ?? null,
    time_zone: textOf(values, 'time_zone') ?? '',
    openings: weekdays.flatMap((day) =>
      words(`day.${day}`).map((period) => {
        const [from = '', to = ''] = period.split(/[-–]/);
        return { day, from, to };
      }),
    ),
    holidays: textOf(values, 'holidays') === 'FR' ? 'FR' : null,
    closed: words('closed'),
  } as PlaceHours;
}
