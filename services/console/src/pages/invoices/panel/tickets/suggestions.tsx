import { Label, Radio, RadioGroup } from 'react-aria-components';
import { Badge, StatusBadge } from '../../../../components/data-display/badge.tsx';
import { ErrorNote, Skeleton } from '../../../../components/states.tsx';
import type { Family } from '../../../../words/family.ts';
import { ticketStatuses } from '../../../../words/status-words.ts';
import { type Choice, type Strength, strengthOf } from '../../rules/choice.ts';
import type { Invoice } from '../../rules/invoice.ts';
import { useTexts } from '../../texts.ts';
import type { DecisionState } from '../decision.ts';
import styles from '../panel.module.css';
import { TicketComparison } from './ticket-comparison.tsx';
import { TicketLink } from './ticket-link.tsx';

type SuggestionsProps = { invoice: Invoice; decision: DecisionState; isLooking: boolean };

const families: Record<Strength, Family> = { strong: 'success', possible: 'info', weak: 'neutral' };

/** The suggested tickets, with the signals of the chosen one, else of the best. */
export function Suggestions({ invoice, decision, isLooking }: SuggestionsProps) {
  const texts = useTexts();
  const { choices, chosen, error } = decision;
  const shown = chosen ?? choices[0] ?? null;
  return (
    <RadioGroup
      value={chosen?.ticketId ?? null}
      onChange={decision.pick}
      className={styles['suggestions'] as string}
      data-screen
    >
      <Label className={styles['title'] as string}>{texts.suggested}</Label>
      <ErrorNote error={error} />
      {choices.length === 0 && !error && <NoChoices isLooking={isLooking} isLoading={decision.isLoading} />}
      {choices.map((choice, index) => (
        <div key={choice.ticketId} className={styles['choice']} data-chosen={choice === chosen || undefined}>
          <Radio value={choice.ticketId} className={styles['radio'] as string}>
            <ChoiceText choice={choice} isFound={choice === decision.found} position={index + 1} />
          </Radio>
          {choice === shown && choice.status !== null && (
            <p className={styles['small']}>
              <TicketLink ticketId={choice.ticketId}>{texts.openTicket(choice.number)}</TicketLink>
            </p>
          )}
          {choice === shown && <TicketComparison invoice={invoice} choice={choice} />}
        </div>
      ))}
    </RadioGroup>
  );
}

function NoChoices({ isLooking, isLoading }: { isLooking: boolean; isLoading: boolean }) {
  const texts = useTexts();
  return (
    <div className={styles['empty']} role="status">
      {isLooking ? texts.looking : isLoading ? <Skeleton rows={2} /> : texts.noSuggestions}
    </div>
  );
}

function ChoiceText({ choice, isFound, position }: { choice: Choice; isFound: boolean; position: number }) {
  const texts = useTexts();
  const { number, title, score, status, contractor, location } = choice;
  const strength = strengthOf(score);
  return (
    <>
      <span className={styles['dot']} aria-hidden="true" />
      <span className={styles['choiceText']}>
        <span className={styles['choiceTop']}>
          <span className={styles['choiceTitle']}>
            <b>{number}</b> {title}
          </span>
          <Badge family={isFound ? 'neutral' : families[strength]} title={texts.scoreOf(score)}>
            {isFound ? texts.found : texts[strength]}
          </Badge>
        </span>
        <span className={styles['choiceMore']}>
          {status === null ? (
            <Badge family="danger">{texts.gone}</Badge>
          ) : (
            <StatusBadge words={ticketStatuses} code={status} />
          )}
          <span>{contractor?.name ?? texts.noContractor}</span>
          {location !== null && location !== '' && <span>{location}</span>}
        </span>
      </span>
      {position <= 5 && (
        <span className={styles['key']} aria-hidden="true">
          {position}
        </span>
      )}
    </>
  );
}
