import type { TsSchemas } from '@app/api-client';
import { Check } from 'lucide-react';
import { Link } from 'react-aria-components';
import { ts } from '../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../api/pages.ts';
import { Button } from '../../components/button.tsx';
import { Badge } from '../../components/data-display/badge.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { DateTime } from '../../components/data-display/values.tsx';
import overlay from '../../components/overlays/overlay.module.css';
import { EmptyState, ErrorNote } from '../../components/states.tsx';
import { formatWithTime } from '../../i18n/format.ts';
import { useLocale } from '../../i18n/locale.tsx';
import shell from '../shell.module.css';
import styles from './notifications.module.css';
import { useTexts } from './texts.ts';
import { listKey, useMarkRead, useUnread } from './unread.ts';

type Notification = TsSchemas['Notification'];

/** What opens at the bell. */
export function Panel({ onLeave }: { onLeave: () => void }) {
  const texts = useTexts();
  return (
    <>
      <NotificationList onOpen={onLeave} />
      <div className={overlay['actions']}>
        <Link href="/notifications" onPress={onLeave}>
          {texts.seeAll}
        </Link>
        <MarkAllRead />
      </div>
    </>
  );
}

/** The notifications of the user, newest first. Opening one marks it as read; `onOpen` is called, too. */
export function NotificationList({ onOpen }: { onOpen?: () => void }) {
  const texts = useTexts();
  const read = useMarkRead();
  const list = usePages<Notification>({
    key: listKey,
    read: (cursor, signal) => pageOf(ts.GET('/notifications', { params: { query: pageQuery(cursor, 20) }, signal })),
  });
  return (
    <>
      <ErrorNote error={read.error} />
      <Paged list={list} empty={<EmptyState title={texts.none} />}>
        {(items) => (
          <ul aria-label={texts.notifications}>
            {items.map((item) => (
              <Item key={item.id} item={item} onOpen={onOpen} onRead={() => read.mutate({ ids: [item.id] })} />
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
    <Button isDisabled={!useUnread()} isPending={read.isPending} onPress={() => read.mutate({ all: true })}>
      {texts.markAllRead}
    </Button>
  );
}

type ItemProps = { item: Notification; onOpen: (() => void) | undefined; onRead: () => void };

function Item({ item, onOpen, onRead }: ItemProps) {
  const texts = useTexts();
  const where = useLocale();
  const { kind, actor, text, created_at, read_at } = item;
  const { href, name } = subjectOf(item);
  const isUnread = read_at === null;
  const open = () => {
    if (isUnread) onRead();
    onOpen?.();
  };
  const who = actor && `${actor.firstName} ${actor.lastName}`;
  const isTime = text && ['date', 'due_soon', 'overdue'].includes(kind);
  const [at = '', clock = ''] = text?.split(' ').reverse() ?? [];
  const what = isTime ? [texts.due[clock], formatWithTime(new Date(at), where)].filter(Boolean).join(' ') : text;
  return (
    <li className={shell['action']}>
      <Link href={href} onPress={open} className={styles['link'] as string}>
        {texts.kinds[kind]} {isUnread && <Badge family="info">{texts.unread}</Badge>}
        <span className={shell['about']}>{name}</span>
        <span className={shell['about']}>{[who, what].filter(Boolean).join(': ')}</span>
      </Link>
      <span className={shell['muted']}>
        <DateTime value={created_at} />
      </span>
      {isUnread && (
        <Button
          variant="quiet"
          isIcon
          aria-label={texts.markRead(texts.kinds[kind], name || (text ?? ''))}
          onPress={onRead}
        >
          <Check size={16} aria-hidden="true" />
        </Button>
      )}
    </li>
  );
}

function subjectOf({ kind, ticket, invoice, endpoint }: Notification): { href: string; name: string } {
  if (ticket) {
    const part = kind === 'quote' ? '#quotes' : '';
    return { href: `/tickets/${ticket.id}${part}`, name: `${ticket.number} ${ticket.title}` };
  }
  if (invoice) return { href: `/invoices/${invoice.id}`, name: invoice.number };
  return { href: `/webhooks/${endpoint?.id}`, name: endpoint?.host ?? '' };
}
