import { Fragment, type ReactNode, useState } from 'react';
import { Link } from 'react-aria-components';
import { Button } from '../../../components/button.tsx';
import { Badge, StatusBadge } from '../../../components/data-display/badge.tsx';
import { Ago, DateTime, Day, Money } from '../../../components/data-display/values.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import { may } from '../../../session/permissions.ts';
import { useSession } from '../../../session/session.ts';
import { ticketStatuses } from '../../../words/status-words.ts';
import { EditSheet } from '../edit/edit-sheet.tsx';
import type { Ticket } from '../list-query.ts';
import { Section } from '../section.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { addressOf, mapOf, telOf } from './contact-links.ts';

export function DetailsSection({ ticket }: { ticket: Ticket }) {
  const texts = useTexts();
  const { language } = useLocale();
  const session = useSession();
  const [isEditing, setEditing] = useState(false);
  const names = (all: { name: string | null }[]) => all.flatMap(({ name }) => name ?? []).join(', ');
  const isManager = session.company.kind === 'client' && may(session, 'tickets');
  const placeHref = isManager ? ({ _id }: Place) => `/settings/locations/${_id}` : mapOf;
  const equipmentHref = isManager ? ({ _id }: { _id: string }) => `/settings/equipments/${_id}` : undefined;
  const facts: [string, ReactNode][] = [
    [texts.place, ticket.locations.length > 0 && <Named all={ticket.locations} nameOf={placeOf} hrefOf={placeHref} />],
    [texts.client, session.company.kind === 'contractor' && ticket.client.name],
    [texts.priority, ticket.priority_label === 'none' ? null : texts.priorities[ticket.priority_label]],
    [texts.equipment, ticket.equipments.length > 0 && <Named all={ticket.equipments} hrefOf={equipmentHref} />],
    [texts.jobs, names(ticket.jobs)],
    [texts.domains, names(ticket.domains)],
    [texts.managers, ticket.managers.length > 0 && <People all={ticket.managers} />],
    [texts.contacts, ticket.contacts.length > 0 && <People all={ticket.contacts} />],
    ...ticket.fields.map(({ name, value }): [string, string] => [name[language], value]),
    [texts.maintenance, ticket.maintenance],
    [texts.start, ticket.start_date && <Day value={ticket.start_date} />],
    [texts.end, ticket.end_date && <Day value={ticket.end_date} />],
    [texts.created, ticket.created_at && <DateTime value={ticket.created_at} />],
    [texts.threshold, ticket.price_threshold !== null && <Money amount={ticket.price_threshold} basis="HT" />],
  ];
  const edit = isManager && ticket.status !== 'removed' && (
    <Button onPress={() => setEditing(true)}>{texts.editTicket}</Button>
  );
  return (
    <Section id="details" title={texts.details} actions={edit}>
      <dl className={styles['facts']}>
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <Contractors ticket={ticket} />
      {isEditing && <EditSheet ticket={ticket} onClose={() => setEditing(false)} />}
    </Section>
  );
}

/**
 * The contractors that were asked, and their answers. Only for the client, since contractors do not know of each
 * other.
 */
function Contractors({ ticket }: { ticket: Ticket }) {
  const texts = useTexts();
  const { company } = useSession();
  const asked = ticket.views.filter(({ role }) => role === 'contractor');
  if (company.kind !== 'client' || asked.length === 0) return null;
  return (
    <ul aria-label={texts.contractors} className={styles['items']}>
      {asked.map(({ _id, name, status, state, expires_at, reason }) => (
        <li key={_id} className={styles['item']}>
          <strong>{name}</strong>
          {state === 'canceled' ? <Badge family="neutral">{texts.withdrawn}</Badge> : null}
          {state !== 'canceled' && <StatusBadge words={ticketStatuses} code={status} />}
          {state === 'pending' && expires_at && (
            <span className={styles['small']}>
              {texts.answerDue} <Ago value={expires_at} />
            </span>
          )}
          {reason && <span className={styles['small']}>{reason === 'expired' ? texts.expired : reason}</span>}
        </li>
      ))}
    </ul>
  );
}

type Place = Ticket['locations'][number];
type NamedProps<Item> = { all: Item[]; nameOf?: (one: Item) => string; hrefOf: ((one: Item) => string) | undefined };

/** Places or equipment; a link out of the console opens beside it. */
function Named<Item extends { _id: string; name: string | null }>({ all, nameOf, hrefOf }: NamedProps<Item>) {
  return all.map((one, index) => {
    const [text, href] = [nameOf?.(one) ?? one.name, hrefOf?.(one)];
    const out = href?.startsWith('/') ? {} : { target: '_blank', rel: 'noreferrer' };
    return (
      <Fragment key={one._id}>
        {index > 0 && '; '}
        {href ? (
          <Link {...out} href={href}>
            {text}
          </Link>
        ) : (
          text
        )}
      </Fragment>
    );
  });
}

function placeOf(place: Place): string {
  return [place.name, addressOf(place)].filter(Boolean).join(', ');
}

function People({ all }: { all: Ticket['managers'] }) {
  return all.map(({ _id, firstName, lastName, email, phone }, index) => (
    <Fragment key={_id}>
      {index > 0 && ', '}
      {[firstName, lastName].filter(Boolean).join(' ') || email} {phone && <a href={telOf(phone)}>{phone}</a>}
    </Fragment>
  ));
}
