import { type ComponentProps, useState } from 'react';
import { Button } from '../button.tsx';
import { AlertDialog } from './overlay.tsx';

type ConfirmButtonProps = Omit<ComponentProps<typeof AlertDialog>, 'isOpen' | 'onOpenChange'> & {
  look?: Pick<ComponentProps<typeof Button>, 'variant' | 'aria-label'>;
  /** What the button says; by default the action. */
  text?: string;
};

/** A button that asks before it acts. */
export function ConfirmButton({ look, text, ...question }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const ask = () => {
    // What was refused before says nothing about this time.
    if (!question.sending?.isPending) question.sending?.reset?.();
    setAsking(true);
  };
  return (
    <>
      <Button {...look} onPress={ask}>
        {text ?? question.confirm}
      </Button>
      <AlertDialog {...question} isOpen={isAsking} onOpenChange={setAsking} />
    </>
  );
}
