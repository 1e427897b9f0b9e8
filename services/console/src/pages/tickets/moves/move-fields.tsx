import { useState } from 'react';
import { contains } from '../../../components/contains.ts';
import { AmountField } from '../../../components/forms/amount-field.tsx';
import { Checkbox, CheckboxGroup, ComboBox, Select } from '../../../components/forms/choice.tsx';
import { Field, SearchField } from '../../../components/forms/field.tsx';
import { Loaded } from '../../../components/states.tsx';
import { localInput, momentOf, movedAlong, tomorrowByDay } from '../../../routing/local-moment.ts';
import { type Contractor, useContractors } from '../choices.ts';
import type { Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { type TicketDate, useDates } from '../tickets.ts';
import { useDateName } from './move-words.ts';
import { begunDate, laterDates, type Move, reasonField, takesReport } from './moves.ts';

const manyContractors = 8;
const hourMs = 3_600_000;

const optionOf = ({ _id, name, email }: Contractor) => ({ id: _id, text: name, ...(email && { hint: email }) });

/** Chooses several contractors of the directory. Chosen ones stay visible during a search for others. */
export function ContractorsField() {
  const texts = useTexts();
  const [chosen, setChosen] = useState<string[]>([]);
  const [q, setQ] = useState('');
  const fits = ({ _id, name }: Contractor) => chosen.includes(_id) || contains(name, q);
  return (
    <Loaded query={useContractors()} rows={3}>
      {(contractors) => (
        <>
          {contractors.length > manyContractors && (
            <SearchField label={texts.findContractor} value={q} onChange={setQ} />
          )}
          <CheckboxGroup
            label={texts.contractors}
            name="contractor_ids"
            value={chosen}
            onChange={setChosen}
            options={contractors.filter(fits).map(optionOf)}
            {...(contractors.length === 0 && { hint: texts.noContractors })}
          />
        </>
      )}
    </Loaded>
  );
}

/** Chooses one contractor of the directory. */
export function ContractorField() {
  const texts = useTexts();
  return (
    <Loaded query={useContractors()} rows={1}>
      {(contractors) => (
        <ComboBox
          label={texts.contractor}
          name="contractor_id"
          isRequired
          options={contractors.map(optionOf)}
          {...(contractors.length === 0 && { hint: texts.noContractors })}
        />
      )}
    </Loaded>
  );
}

export function ReasonField({ move }: { move: Move }) {
  const texts = useTexts();
  const consequences: Record<string, string> = texts.consequences;
  return (
    <>
      <p>{consequences[move.operation]}</p>
      <Field label={texts.reason} name={reasonField(move)} isArea maxLength={10_000} autoFocus />
    </>
  );
}

export const everyDate = 'every';

/** The date to be rescheduled: all future dates, unless one is chosen. */
export function RescheduleField({ ticketId }: { ticketId: string }) {
  const texts = useTexts();
  const nameOf = useDateName();
  const { data: dates = [] } = useDates(ticketId);
  const planned = dates.filter(({ state, type }) => state === 'planned' && type === 'planned');
  const options = planned.map((date) => ({
    id: date._id,
    text: `${texts.categories[date.category]}, ${nameOf(date)}`,
  }));
  return (
    <Select
      label={texts.dateToCancel}
      name="date_id"
      options={[{ id: everyDate, text: texts.everyDate }, ...options]}
      defaultValue={everyDate}
    />
  );
}

/** `timeZone`: in which the times are entered. */
type DateFieldsProps = { ticketId: string; move: Move; day: string | undefined; timeZone: string };

/**
 * Start and end. Default for work that is done: the planned date if it has begun, else the last
 * whole hour. Default for a plan: an hour of `day`, or else of the next day.
 */
export function DateFields({ ticketId, move, day, timeZone }: DateFieldsProps) {
  const texts = useTexts();
  const { data: dates = [] } = useDates(ticketId);
  const isActual = takesReport(move);
  const begun = isActual ? begunDate(dates, move, new Date()) : undefined;
  const [first] = useState(() => {
    if (begun) return { start: localInput(begun.start, timeZone), end: localInput(begun.end, timeZone) };
    if (isActual) return justNow(timeZone);
    const tomorrow = tomorrowByDay(new Date(), timeZone);
    return anHourFrom(day ? `${day}${tomorrow.slice(10)}` : tomorrow);
  });
  const [start, setStart] = useState(first.start);
  const [end, setEnd] = useState(first.end);
  const changeStart = (value: string) => {
    setStart(value);
    // So that the duration stays.
    setEnd(movedAlong(end, { from: start, to: value }));
  };
  return (
    <>
      <div className={styles['pair']}>
        <Field
          label={texts.start}
          name="start"
          type="datetime-local"
          isRequired
          value={start}
          onChange={changeStart}
          autoFocus
        />
        <Field label={texts.end} name="end" type="datetime-local" isRequired value={end} onChange={setEnd} />
      </div>
      {isActual && <DoneHint later={laterDates(dates, move, momentOf(end, timeZone) ?? '')} />}
    </>
  );
}

function DoneHint({ later }: { later: TicketDate[] }) {
  const texts = useTexts();
  const nameOf = useDateName();
  const isWork = later.some(({ category }) => category === 'intervention');
  return (
    <p className={styles['small']}>
      {later.length === 0 ? texts.doneHint : texts.staysPlanned(later.map(nameOf).join(', '))}
      {isWork && ` ${texts.finishAfter}`}
    </p>
  );
}

/** The last whole hour that is over. */
function justNow(timeZone: string) {
  const hourAt = (ago: number) =>
    `${localInput(new Date(Date.now() - ago * hourMs).toISOString(), timeZone).slice(0, 13)}:00`;
  return { start: hourAt(2), end: hourAt(1) };
}

function anHourFrom(start: string) {
  return { start, end: movedAlong(start, { from: '2000-01-01T00:00', to: '2000-01-01T01:00' }) };
}

export function QuoteFields({ ticket, needsContractor }: { ticket: Ticket; needsContractor: boolean }) {
  const texts = useTexts();
  const asked = ticket.views.filter(
    ({ role, state }) => role === 'contractor' && (state === 'pending' || state === 'active'),
  );
  const options = asked.flatMap(({ contractor_id, name }) =>
    contractor_id ? [{ id: contractor_id, text: name ?? contractor_id }] : [],
  );
  return (
    <>
      {needsContractor && <Select label={texts.contractor} name="contractor_id" options={options} isRequired />}
      <Field label={texts.reference} name="reference" maxLength={100} isRequired autoFocus />
      <AmountField label={texts.price} name="price" hint={texts.priceHint} isRequired />
      <Checkbox name="includes_vat" value="true">
        {texts.includesVat}
      </Checkbox>
    </>
  );
}
