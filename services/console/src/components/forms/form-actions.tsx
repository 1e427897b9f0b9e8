import { useFrameTexts } from '../../i18n/locale.tsx';
import { Button, ButtonLink } from '../button.tsx';

export type FormButtons = {
  /** What the button says that sends the form. */
  submit: string;
  isDisabled?: boolean;
  /** The page has a more important button than that. */
  isMinor?: boolean;
  /** Without it, and without `cancelTo`, there is no `Cancel`. */
  onCancel?: () => void;
  isCancelDisabled?: boolean;
  /** The page that `Cancel` leads to. */
  cancelTo?: string;
};

type ActionsProps = FormButtons & { isPending: boolean };

/** The buttons of a form. */
export function FormActions({ submit, isMinor = false, onCancel, isCancelDisabled, cancelTo, ...state }: ActionsProps) {
  const { cancel } = useFrameTexts();
  return (
    <>
      {onCancel && (
        <Button isDisabled={isCancelDisabled ?? false} onPress={onCancel}>
          {cancel}
        </Button>
      )}
      {cancelTo !== undefined && <ButtonLink href={cancelTo}>{cancel}</ButtonLink>}
      <Button type="submit" variant={isMinor ? 'secondary' : 'primary'} {...state}>
        {submit}
      </Button>
    </>
  );
}
