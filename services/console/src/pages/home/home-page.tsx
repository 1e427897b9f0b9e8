import { lazy, Suspense } from 'react';
import { Link } from 'react-aria-components';
import { ErrorText } from '../../components/error-text.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { formatCounted } from '../../i18n/format.ts';
import { useLocale } from '../../i18n/locale.tsx';
import { useSession } from '../../session/session.ts';
import { ClientRequests } from './client-requests.tsx';
import { cardsOf } from './figures/cards.ts';
import styles from './home.module.css';
import { useTexts } from './texts.ts';
import { useWaiting } from './waiting.ts';

/** Apart, so that who has no figures loads no code for them. */
const FigureGrid = lazy(async () => ({ default: (await import('./figures/figure-grid.tsx')).FigureGrid }));

/** What waits for the user, in a strip of counts, and the figures of their work. */
export function HomePage() {
  const texts = useTexts();
  const session = useSession();
  const { locale } = useLocale();
  const waiting = useWaiting();
  const isAllDone = waiting.length > 0 && waiting.every(({ counted }) => counted?.count === 0);
  if (waiting.length === 0) {
    return (
      <Page title={texts.home}>
        <EmptyState title={texts.noPermission}>{texts.noPermissionHint}</EmptyState>
      </Page>
    );
  }
  return (
    <Page title={texts.home} intro={isAllDone ? texts.nothingHint : texts.hello(session.user.first_name)}>
      <ul className={styles['list']} aria-label={texts.waiting}>
        {waiting.map(({ subject, href, counted, error }) => (
          <li key={subject}>
            <Link href={href} className={styles['item'] as string} data-quiet={counted?.count === 0 || undefined}>
              <span className={styles['count']}>{counted ? formatCounted(counted, locale) : '–'}</span>
              <span className={styles['name']}>
                {texts[subject]}
                <Failure error={counted ? null : error} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <ClientRequests />
      {cardsOf(session).length > 0 && (
        <Suspense fallback={<Skeleton rows={12} />}>
          <FigureGrid />
        </Suspense>
      )}
    </Page>
  );
}

function Failure({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <span className={styles['failure']}>
      <ErrorText error={error} />
    </span>
  );
}
