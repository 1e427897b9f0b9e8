import { useEffect, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { AlertDialog } from '../../../components/overlays/overlay.tsx';
import { formatNumber } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { announce } from '../../../session/actions.ts';
import { deliveryStatuses } from '../../../words/status-words.ts';
import type { Endpoint, EventName } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import { type Filter, useResend, useResendJob } from './deliveries.ts';

/**
 * Sends all deliveries of the filters again. Hidden without a status filter: nobody wants 90 days of deliveries
 * again.
 */
export function Resend({ endpoint, filter }: { endpoint: Endpoint; filter: Filter }) {
  const texts = useTexts();
  const { language } = useLocale();
  const [isAsking, setAsking] = useState(false);
  const resend = useResend(endpoint.id);
  const progress = useProgress(endpoint.id, resend.data?.id ?? null);
  const { status, event, ...range } = filter;
  if (!status || status === 'pending' || event === 'webhook.test') return null;
  const body = { status, ...(event && { event: event as EventName }), ...range };
  return (
    <>
      <Button isDisabled={!endpoint.active} isPending={progress !== null} onPress={() => setAsking(true)}>
        {progress ?? texts.resend}
      </Button>
      <AlertDialog
        title={texts.resendTitle}
        confirm={texts.resendAction}
        isOpen={isAsking}
        sending={resend}
        onConfirm={() => resend.mutate(body, { onSuccess: () => setAsking(false) })}
        onOpenChange={setAsking}
      >
        {texts.resendText(deliveryStatuses[status][language])}
      </AlertDialog>
    </>
  );
}

/** The progress of the job in words; null once it has ended. The end is announced. */
function useProgress(endpointId: string, jobId: string | null): string | null {
  const texts = useTexts();
  const { locale } = useLocale();
  const { data: job } = useResendJob(endpointId, jobId);
  const isRunning = jobId !== null && job?.state === 'running';
  const queued = job && job.state !== 'running' ? job.queued : null;
  useEffect(() => {
    if (queued !== null) announce(texts.resent(formatNumber(queued, locale)));
  }, [queued, texts, locale]);
  if (!isRunning || !job) return null;
  return texts.progress(formatNumber(job.processed, locale), formatNumber(job.total, locale));
}
