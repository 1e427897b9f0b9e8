import { useMutation } from '@tanstack/react-query';
import { call, ts } from '../../../api/client.ts';
import { forEach, retryWhenLimited } from '../../../api/concurrent-requests.ts';
import { queryClient } from '../../../api/query.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNote } from '../../../components/states.tsx';
import { announce } from '../../../session/actions.ts';
import { keys, watch } from '../data/invoice-queries.ts';
import type { ListedInvoice } from '../rules/invoice.ts';
import { useTexts } from '../texts.ts';
import styles from './list.module.css';

/**
 * Has all invoices of the list with an error fetched again, once their cause is gone. An invoice
 * whose cause remains does not change, so no confirmation is needed.
 */
export function ResyncFailed({ items }: { items: readonly ListedInvoice[] }) {
  const texts = useTexts();
  const failed = items.filter(({ state }) => state === 'error');
  const resync = useMutation({
    /** @throws the last refusal, once the others were tried */
    mutationFn: async () => {
      let refusal: unknown = null;
      let requested = 0;
      await forEach(failed, async ({ id, provider, externalId }) => {
        try {
          await retryWhenLimited(() => call(ts.POST('/invoices/resync', { body: { provider, externalId } })));
          watch(id);
          requested += 1;
        } catch (error) {
          refusal = error;
        }
      });
      if (requested > 0) announce(texts.resyncedAll(requested));
      if (refusal !== null) throw refusal;
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.all }),
  });
  // An error is shown, however many are left.
  if (failed.length < 2 && !resync.error) return null;
  return (
    <div className={styles['above']}>
      {failed.length > 0 && (
        <Button isPending={resync.isPending} onPress={() => resync.mutate()}>
          {texts.resyncAll(failed.length)}
        </Button>
      )}
      <ErrorNote error={resync.error} />
    </div>
  );
}
