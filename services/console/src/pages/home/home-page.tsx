import { ChevronRight } from 'lucide-react';
import { Link } from 'react-aria-components';
import { Page } from '../../components/page.tsx';
import { EmptyState, useErrorText } from '../../components/states.tsx';
import { useSession } from '../../session/session.ts';
import styles from './home.module.css';
import { useTexts } from './texts.ts';
import { countText, useWaiting } from './waiting.ts';

/** The lists that wait for the user, each with its count. Empty ones are shown too, but less prominently. */
export function HomePage() {
  const texts = useTexts();
  const { user } = useSession();
  const waiting = useWaiting();
  const isAllDone = waiting.length > 0 && waiting.every(({ query }) => query?.data === 0);
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
        {waiting.map(({ subject, href, query }) => (
          <li key={subject}>
            <Link href={href} className={styles['item'] as string} data-quiet={query?.data === 0 || undefined}>
              <span className={styles['count']}>{query?.data === undefined ? '–' : countText(query.data)}</span>
              <span className={styles['name']}>
                {texts[subject]}
                <Failure error={query?.error} />
              </span>
              <ChevronRight size={16} aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  );
}

function Failure({ error }: { error: unknown }) {
  const textOf = useErrorText();
  return error ? <span className={styles['failure']}>{textOf(error)}</span> : null;
}
