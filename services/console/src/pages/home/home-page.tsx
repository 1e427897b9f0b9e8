import { ChevronRight } from 'lucide-react';
import { Link } from 'react-aria-components';
import { ErrorText } from '../../components/error-text.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { formatCounted } from '../../i18n/format.ts';
import { useLocale } from '../../i18n/locale.tsx';
import { useSession } from '../../session/session.ts';
import { ClientRequests } from './client-requests.tsx';
import styles from './home.module.css';
import { useTexts } from './texts.ts';
import { useWaiting } from './waiting.ts';

/** The lists that wait for the user, each with its count. Empty ones are shown too, but less prominently. */
export function HomePage() {
  const texts = useTexts();
  const { user } = useSession();
  const { locale } = useLocale();
  const waiting = useWaiting();
  const isAllDone = waiting.length > 0 && waiting.every(({ counted }) => counted?.count === 0);
  if (waiting.length === 0) {
    return (
      <Page title={texts.title}>
        <EmptyState title={texts.noPermission}>{texts.noPermissionHint}</EmptyState>
      </Page>
    );
  }
  return (
    <Page title={texts.title} intro={isAllDone ? texts.nothingHint : texts.hello(user.first_name)}>
      <ul className={styles['list']} aria-label={texts.waiting}>
        {waiting.map(({ subject, href, counted, error }) => (
          <li key={subject}>
            <Link href={href} className={styles['item'] as string} data-quiet={counted?.count === 0 || undefined}>
              <span className={styles['count']}>{counted ? formatCounted(counted, locale) : '–'}</span>
              <span className={styles['name']}>
                {texts[subject]}
                <Failure error={counted ? null : error} />
              </span>
              <ChevronRight size={16} aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
      <ClientRequests />
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
