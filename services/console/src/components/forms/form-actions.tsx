import { useFrameTexts } from '../../i18n/locale.tsx';
import { Button } from '../button.tsx';

type ActionsProps = {
  onCancel: () => void;
  /** What the button says that sends the form. */
  submit: string;
  isPending: boolean;
  isDisabled?: boolean;
};

/** The buttons of a form in a sheet. */
export function FormActions({ onCancel, submit, ...state }: ActionsProps) {
  const { cancel } = useFrameTexts();
  return (
    <>
      <Button onPress={onCancel}>{cancel}</Button>
      <Button type="submit" variant="primary" {...state}>
        {submit}
      </Button>
    </>
  );
}
