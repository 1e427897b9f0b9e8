import { ButtonLink } from '../../components/button.tsx';
import { Page } from '../../components/page.tsx';
import { PlainCell, PlainRow, PlainTable } from '../../components/plain-table.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { DateTime } from '../../components/values.tsx';
import { type Endpoint, useEndpoints } from './endpoints.ts';
import { Health } from './health.tsx';
import { LastDay } from './last-day.tsx';
import { useTexts } from './texts.ts';
import styles from './webhooks.module.css';

export function EndpointsPage() {
  const texts = useTexts();
  const add = (
    <ButtonLink href="/webhooks/new" variant="primary">
      {texts.add}
    </ButtonLink>
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={add}>
      <Loaded query={useEndpoints()} rows={3}>
        {(endpoints) =>
          endpoints.length === 0 ? (
            <EmptyState title={texts.none}>{texts.noneHint}</EmptyState>
          ) : (
            <EndpointTable endpoints={endpoints} />
          )
        }
      </Loaded>
    </Page>
  );
}

function EndpointTable({ endpoints }: { endpoints: Endpoint[] }) {
  const texts = useTexts();
  const headings = [texts.name, texts.host, texts.events, texts.health, texts.lastDay].map((text) => ({ text }));
  return (
    <PlainTable label={texts.endpoints} headings={headings}>
      {endpoints.map((endpoint) => (
        <PlainRow key={endpoint.id} href={`/webhooks/${endpoint.id}`} name={endpoint.name}>
          <PlainCell>{new URL(endpoint.url).host}</PlainCell>
          <PlainCell>{endpoint.events.length}</PlainCell>
          <PlainCell>
            <Health endpoint={endpoint} />
            {endpoint.healthSince && (
              <span className={styles['since']}>
                <DateTime value={endpoint.healthSince} />
              </span>
            )}
            {endpoint.lastError && <div className={styles['small']}>{endpoint.lastError}</div>}
          </PlainCell>
          <PlainCell>
            <LastDay endpointId={endpoint.id} />
          </PlainCell>
        </PlainRow>
      ))}
    </PlainTable>
  );
}
