import { useParams } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { Page } from '../../../components/layout/page.tsx';
import { Tabs } from '../../../components/layout/tabs.tsx';
import { ErrorNote, Loaded } from '../../../components/states.tsx';
import { useUrlState } from '../../../routing/url-state.ts';
import { announce } from '../../../session/actions.ts';
import { attemptWords } from '../deliveries/attempt-words.ts';
import { DeliveriesTab } from '../deliveries/deliveries-tab.tsx';
import { type Endpoint, useEndpoint, useTestEndpoint } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import { VerifyTab } from '../verify/verify-tab.tsx';
import styles from '../webhooks.module.css';
import { EndpointBanner } from './health/endpoint-banner.tsx';
import { Health } from './health/health.tsx';
import { LastDay } from './health/last-day.tsx';
import { SettingsTab } from './settings-tab.tsx';

const tabs = ['deliveries', 'settings', 'verify'] as const;

export function EndpointPage() {
  const texts = useTexts();
  const { id = '' } = useParams<{ id: string }>();
  const query = useEndpoint(id);
  if (query.data) return <Shown endpoint={query.data} />;
  return (
    <Page title={texts.webhooks}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

function Shown({ endpoint }: { endpoint: Endpoint }) {
  const texts = useTexts();
  const [{ tab = 'deliveries' }, set] = useUrlState({ tab: tabs });
  const names = { deliveries: texts.deliveries, settings: texts.endpointSettings, verify: texts.verify };
  const heading = (
    <span className={styles['title']}>
      {endpoint.name} <Health endpoint={endpoint} />
    </span>
  );
  return (
    <Page title={endpoint.name} heading={heading} actions={<Test endpoint={endpoint} />}>
      <div className={styles['sectionHead']}>
        <code>{endpoint.url}</code>
        <LastDay endpointId={endpoint.id} />
      </div>
      <EndpointBanner endpoint={endpoint} />
      <Tabs
        label={endpoint.name}
        tabs={tabs.map((one) => ({ id: one, text: names[one] }))}
        selected={tab}
        onSelect={(chosen) => set({ tab: chosen === 'deliveries' ? null : chosen })}
      >
        {tab === 'deliveries' && <DeliveriesTab endpoint={endpoint} />}
        {tab === 'settings' && <SettingsTab endpoint={endpoint} />}
        {tab === 'verify' && <VerifyTab />}
      </Tabs>
    </Page>
  );
}

/** Sends a test and shows the receiver's response in a toast. */
function Test({ endpoint }: { endpoint: Endpoint }) {
  const texts = useTexts();
  const test = useTestEndpoint(endpoint.id);
  const send = () =>
    test.mutate(undefined, {
      onSuccess: (result) => {
        const { success, statusCode, error } = result;
        if (success) announce(texts.tested(statusCode ?? 0));
        else announce(texts.testFailed(attemptWords({ statusCode, error: error ?? 'status_not_2xx' }, texts)));
      },
    });
  return (
    <>
      <ErrorNote error={test.error} faultsAreElsewhere={false} />
      <Button isPending={test.isPending} onPress={send}>
        {texts.test}
      </Button>
    </>
  );
}
