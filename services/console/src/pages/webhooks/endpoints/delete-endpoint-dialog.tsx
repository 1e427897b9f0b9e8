import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { AlertDialog } from '../../../components/overlays/overlay.tsx';
import { announce } from '../../../session/actions.ts';
import { type Endpoint, useDeleteEndpoint } from '../endpoints.ts';
import { useTexts } from '../texts.ts';

type DeleteEndpointProps = {
  endpoint: Endpoint;
  /** The text of the button. */
  children: string;
  /** A reason not to delete it, shown first in the question. */
  warning?: string | null;
  /** The page to show afterwards. */
  to: string;
};

export function DeleteEndpoint({ endpoint, children, warning = null, to }: DeleteEndpointProps) {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const remove = useDeleteEndpoint(endpoint.id);
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        announce(texts.removed(endpoint.name));
        navigate(to);
      },
    });
  return (
    <>
      <Button variant="danger" onPress={() => setAsking(true)}>
        {children}
      </Button>
      <AlertDialog
        title={texts.removeTitle(endpoint.name)}
        confirm={texts.remove}
        isOpen={isAsking}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={confirm}
        onOpenChange={setAsking}
      >
        {warning !== null && <p>{warning}</p>}
        <p>{texts.removeText}</p>
      </AlertDialog>
    </>
  );
}
