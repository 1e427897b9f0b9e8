import { useLocation } from 'wouter';
import { ConfirmButton } from '../../../components/overlays/confirm-button.tsx';
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
  const remove = useDeleteEndpoint(endpoint.id);
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        announce(texts.removed(endpoint.name));
        navigate(to);
      },
    });
  return (
    <ConfirmButton
      look={{ variant: 'danger' }}
      text={children}
      title={texts.removeTitle(endpoint.name)}
      confirm={texts.remove}
      sending={remove}
      onConfirm={confirm}
    >
      {warning !== null && <p>{warning}</p>}
      <p>{texts.removeText}</p>
    </ConfirmButton>
  );
}
