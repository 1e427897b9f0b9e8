import { useMutation, useQuery } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { queryClient } from '../../api/query.ts';
import { Button } from '../../components/button.tsx';
import { DateTime } from '../../components/data-display/values.tsx';
import { Section } from '../../components/layout/sections.tsx';
import { OneTimeSecret } from '../../components/overlays/one-time-secret.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { useTexts } from './texts.ts';

export const agendaFeedKey = ['agenda-feed'];

/** The secret address of the user's agenda for calendar programs. */
export function AgendaFeed() {
  const texts = useTexts();
  const { language } = useLocale();
  const again = () => queryClient.invalidateQueries({ queryKey: agendaFeedKey });
  const found = useQuery({
    queryKey: agendaFeedKey,
    queryFn: ({ signal }) => call(ts.GET('/auth/agenda-feed', { signal })),
  });
  const make = useMutation({ mutationFn: () => call(ts.PUT('/auth/agenda-feed', { body: {} })), onSettled: again });
  const end = useMutation({ mutationFn: () => call(ts.DELETE('/auth/agenda-feed')), onSettled: again });
  return (
    <Section title={texts.feed} hint={texts.feedHint}>
      <Loaded query={found} rows={1}>
        {({ created_at: since }) => (
          <div>
            {since && (
              <p>
                {texts.feedSince} <DateTime value={since} />
              </p>
            )}
            <Button isPending={make.isPending} onPress={() => make.mutate()}>
              {since ? texts.feedRenew : texts.feedMake}
            </Button>{' '}
            {since && (
              <Button variant="danger" isPending={end.isPending} onPress={() => end.mutate()}>
                {texts.feedEnd}
              </Button>
            )}
          </div>
        )}
      </Loaded>
      <ErrorNote error={make.error ?? end.error} />
      <OneTimeSecret
        title={texts.feedAddress}
        secret={make.data ? `${make.data.url}?language=${language}` : null}
        onDone={() => make.reset()}
      >
        {texts.feedOnce}
      </OneTimeSecret>
    </Section>
  );
}
