import { useEffect, useRef, useState } from 'react';
import { Group } from 'react-aria-components';
import { Button } from '../../../components/button.tsx';
import { afterFocusRestored } from '../../../components/overlays/after-focus-restored.ts';
import { ErrorNote } from '../../../components/states.tsx';
import { announce } from '../../../session/actions.ts';
import { useSession } from '../../../session/session.ts';
import type { Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { ConfirmMove } from './confirm-move.tsx';
import { MoveSheet } from './move-sheet.tsx';
import { useMoveDone, useMoveName } from './move-words.ts';
import { askedBy, inOrder, keyOf, type Move } from './moves.ts';
import { useMove, useUndo } from './send-move.ts';

/** A button for each move that the API offers this user now. */
export function MoveBar({ ticket }: { ticket: Ticket }) {
  const texts = useTexts();
  const { company } = useSession();
  const nameOf = useMoveName(ticket);
  const doneOf = useMoveDone(ticket);
  const [asked, setAsked] = useState<Move | null>(null);
  const [sent, setSent] = useState<string | null>(null);
  const send = useMove(ticket._id);
  const undoWith = useUndo(ticket);
  const { primary, others } = inOrder(ticket.moves ?? [], ticket.status, company.kind);
  const askOf = (move: Move) => askedBy(move, ticket.status);
  const press = (move: Move) => {
    if (askOf(move) !== 'nothing') return setAsked(move);
    setSent(keyOf(move));
    const undo = undoWith(move);
    const href = `/tickets/${ticket._id}`;
    send.mutate({ move }, { onSuccess: () => announce(doneOf(move), { href, ...(undo && { undo }) }) });
  };
  const button = (move: Move) => (
    <Button
      key={keyOf(move)}
      {...(move === primary && { variant: 'primary' as const })}
      isPending={send.isPending && sent === keyOf(move)}
      isDisabled={send.isPending && sent !== keyOf(move)}
      onPress={() => press(move)}
    >
      {nameOf(move)}
    </Button>
  );
  const close = () => setAsked(null);
  const bar = useKeptFocus(ticket.moves, asked !== null);
  return (
    <div className={styles['section']} data-screen>
      <Group ref={bar} tabIndex={-1} aria-label={texts.availableMoves} className={styles['moves'] as string}>
        {[...(primary ? [primary] : []), ...others].map(button)}
        {!primary && others.length === 0 && <p className={styles['small']}>{texts.noMoves}</p>}
      </Group>
      <ErrorNote error={send.error} faultsAreElsewhere={false} />
      {asked && askOf(asked) === 'confirm' && <ConfirmMove ticket={ticket} move={asked} onClose={close} />}
      {asked && askOf(asked) !== 'confirm' && <MoveSheet ticket={ticket} move={asked} onClose={close} />}
    </div>
  );
}

/**
 * When a button disappears with its move, the bar gets the focus, so that keyboard users go on from
 * there.
 */
function useKeptFocus(moves: unknown, isAsking: boolean) {
  const bar = useRef<HTMLDivElement>(null);
  const isHere = useRef(false);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      const at = target as Element;
      if (!at.closest('[role=dialog], [role=alertdialog]')) isHere.current = bar.current?.contains(at) ?? false;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changes when a button goes
  useEffect(() => {
    if (isAsking || !isHere.current) return;
    const take = () => document.activeElement === document.body && bar.current?.focus();
    // A dialog that closes gives the focus back to its button if that is still there.
    return afterFocusRestored(take);
  }, [moves, isAsking]);
  return bar;
}
