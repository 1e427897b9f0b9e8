import { AlertDialog } from '../../../components/overlays/overlay.tsx';
import { announce } from '../../../session/actions.ts';
import { useTexts } from '../texts.ts';
import { type AskProps, useMoveDone, useMoveName } from './move-words.ts';
import { useMove } from './send-move.ts';

const onwards = ['validate_quote', 'finish', 'close'];

/** Asks for confirmation of a move that cannot be undone, and says what follows from it. */
export function ConfirmMove({ ticket, move, onClose }: AskProps) {
  const texts = useTexts();
  const name = useMoveName(ticket)(move);
  const doneOf = useMoveDone(ticket);
  const send = useMove(ticket._id);
  const consequences: Record<string, string> = texts.consequences;
  const confirm = () =>
    send.mutate(
      { move },
      {
        onSuccess: () => {
          announce(doneOf(move));
          onClose();
        },
      },
    );
  return (
    <AlertDialog
      title={texts.confirmTitle(name, ticket.number)}
      confirm={name}
      isHarmless={onwards.includes(move.operation)}
      isOpen
      isPending={send.isPending}
      error={send.error}
      onConfirm={confirm}
      onOpenChange={onClose}
    >
      {move.operation === 'remove' ? texts.removeText : (consequences[move.operation] ?? texts.notDoneText)}
    </AlertDialog>
  );
}
