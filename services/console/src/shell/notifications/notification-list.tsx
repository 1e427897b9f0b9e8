import type { TsSchemas } from '@app/api-client';
import { Check } from 'lucide-react';
import { Link, VisuallyHidden } from 'react-aria-components';
import { ts } from '../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../api/pages.ts';
import { Button } from '../../components/button.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { DateTime } from '../../components/data-display/values.tsx';
import { EmptyState, ErrorNote } from '../../components/states.tsx';
import { formatWithTime } from '../../i18n/format.ts';
import { useLocale } from '../../i18n/locale.tsx';
import styles from './notifications.module.css';
import { useTexts } from './texts.ts';
import { listKey, useMarkRead, useUnread } from './unread.ts';

type Notification = TsSchemas['Notification'];

const pageSize = 20;

/** The notifications of the user, newest first. Opening one marks it as read; `onOpen` is called, too. */
export function NotificationList({ onOpen }: { onOpen?: () => void }) {
  const texts = useTexts();
  const read = useMarkRead();
  const list = usePages<Notification>({
    key: listKey,
    read: (cursor, signal) =>
      pageOf(ts.GET('/notifications', { params: { query: pageQuery(cursor, pageSize) }, signal })),
  });
  const markRead = ({ id, read_at }: Notification) => read_at === null && read.mutate({ ids: [id] });
  return (
    <>
      <ErrorNote error={read.error} />
      <Paged list={list} empty={<EmptyState title={texts.none}>{texts.noneHint}</EmptyState>}>
        {(items) => (
          <ul aria-label={texts.title} className={styles['list']}>
            {items.map((item) => (
              <Item
                key={item.id}
                item={item}
                onOpen={() => {
                  markRead(item);
                  onOpen?.();
                }}
                onRead={() => markRead(item)}
              />
            ))}
          </ul>
        )}
      </Paged>
    </>
  );
}

export function MarkAllRead() {
  const texts = useTexts();
  const read = useMarkRead();
  return (
    <Button
      variant="quiet"
      isDisabled={!useUnread()}
      isPending={read.isPending}
      onPress={() => read.mutate({ all: true })}
    >
      {texts.markAllRead}
    </Button>
  );
}

type ItemProps = { item: Notification; onOpen: () => void; onRead: () => void };

function Item({ item, onOpen, onRead }: ItemProps) {
  const texts = useTexts();
  const isUnread = item.read_at === null;
  const kind = texts.kinds[item.kind];
  const { href, name } = subjectOf(item);
  return (
    <li className={styles['item']} data-unread={isUnread || undefined}>
      <Link href={href} onPress={onOpen} className={styles['link'] as string}>
        <span className={styles['itemHead']}>
          <span className={styles['kind']}>{kind}</span>
          {isUnread && <VisuallyHidden>{texts.unread}</VisuallyHidden>}
          <span className={styles['small']}>
            <DateTime value={item.created_at} />
          </span>
        </span>
        <span>{name}</span>
        <Detail item={item} />
      </Link>
      {isUnread && (
        <Button variant="quiet" isIcon aria-label={texts.markRead(kind, name)} onPress={onRead}>
          <Check size={16} aria-hidden="true" />
        </Button>
      )}
    </li>
  );
}

/** Who did it, and what it says. */
function Detail({ item: { kind, actor, text } }: { item: Notification }) {
  const where = useLocale();
  const who = actor && `${actor.firstName} ${actor.lastName}`;
  const what = text && kind === 'date' ? formatWithTime(new Date(text), where) : text;
  const said = [who, what].filter(Boolean).join(': ');
  return said !== '' && <span className={styles['detail']}>{said}</span>;
}

function subjectOf({ kind, ticket, invoice, endpoint }: Notification): { href: string; name: string } {
  if (ticket) {
    const part = kind === 'quote' ? '#quotes' : '';
    return { href: `/tickets/${ticket.id}${part}`, name: `${ticket.number} ${ticket.title}` };
  }
  if (invoice) return { href: `/invoices/${invoice.id}`, name: invoice.number };
  return endpoint ? { href: `/webhooks/${endpoint.id}`, name: endpoint.host } : { href: '/notifications', name: '' };
}
