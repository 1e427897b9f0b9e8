import { ApiDocs } from '../../../components/api-docs.tsx';
import { ButtonLink } from '../../../components/button.tsx';
import { wordOf } from '../../../components/data-display/badge.tsx';
import { type DataColumn, DataTable } from '../../../components/data-display/data-table.tsx';
import { ListFile } from '../../../components/data-display/list-file.tsx';
import { DateTime } from '../../../components/data-display/values.tsx';
import { Page } from '../../../components/layout/page.tsx';
import { EmptyState, Loaded } from '../../../components/states.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import { type Endpoint, lastDayOf, useEndpoints } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import styles from '../webhooks.module.css';
import { Health, healthOf } from './health/health.tsx';
import { LastDay } from './health/last-day.tsx';
import { LastError } from './health/last-error.tsx';

export function EndpointsPage() {
  const texts = useTexts();
  const query = useEndpoints();
  const columns = useColumns();
  const actions = (
    <>
      {query.data && <ListFile name={texts.endpoints} columns={columns} read={async () => query.data} />}
      <ApiDocs />
      <ButtonLink href="/webhooks/new" variant="primary">
        {texts.add}
      </ButtonLink>
    </>
  );
  return (
    <Page title={texts.webhooks} intro={texts.intro} actions={actions}>
      <Loaded query={query} rows={3}>
        {(endpoints) =>
          endpoints.length === 0 ? (
            <EmptyState title={texts.none}>{texts.noneHint}</EmptyState>
          ) : (
            <DataTable
              label={texts.endpoints}
              columns={columns}
              items={endpoints}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/webhooks/${id}`}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function useColumns(): DataColumn<Endpoint>[] {
  const texts = useTexts();
  const { language } = useLocale();
  return [
    { title: texts.name, kind: 'header', cell: ({ name }) => name },
    { title: texts.host, isMinor: true, cell: ({ url }) => new URL(url).host },
    {
      title: texts.events,
      kind: 'number',
      isMinor: true,
      cell: ({ events }) => events.length,
      inFile: ({ events }) => events.join(', '),
    },
    {
      title: texts.health,
      cell: (endpoint) => <HealthSince endpoint={endpoint} />,
      inFile(endpoint) {
        const shown = healthOf(endpoint, lastDayOf(endpoint.id));
        return shown ? wordOf({ ...shown, language }) : texts.pausedWord;
      },
    },
    { title: texts.lastDay, isMinor: true, cell: ({ id }) => <LastDay endpointId={id} />, inFile: null },
  ];
}

function HealthSince({ endpoint }: { endpoint: Endpoint }) {
  const { healthSince, lastError } = endpoint;
  return (
    <>
      <Health endpoint={endpoint} />
      {healthSince && (
        <span className={styles['since']}>
          <DateTime value={healthSince} />
        </span>
      )}
      {lastError && (
        <div className={styles['small']}>
          <LastError said={lastError} />
        </div>
      )}
    </>
  );
}
