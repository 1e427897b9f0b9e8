import { AlertDialog } from '../../../components/overlays/overlay.tsx';
import { formatMoney } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { announce } from '../../../session/actions.ts';
import type { Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import { basisOf } from '../tickets.ts';
import { type AskProps, useMoveDone, useMoveName } from './move-words.ts';
import { aboutOf, type Move } from './moves.ts';
import { useMove } from './send-move.ts';

const onwards = ['qualify', 'validate_quote', 'finish', 'close'];

/** Asks for confirmation of a move that cannot be undone, and says what follows from it. */
export function ConfirmMove({ ticket, move, onClose }: AskProps) {
  const texts = useTexts();
  const name = useMoveName(ticket)(move);
  const doneOf = useMoveDone(ticket);
  const send = useMove(ticket._id);
  const consequences: Record<string, string> = texts.consequences;
  const quoteText = useQuoteText(ticket)(move);
  const confirm = () =>
    send.mutate(
      { move },
      {
        onSuccess: () => {
          announce(doneOf(move), { href: `/tickets/${ticket._id}` });
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
      sending={send}
      onConfirm={confirm}
      onOpenChange={onClose}
    >
      {quoteText && <p>{quoteText}</p>}
      {move.operation === 'remove' ? texts.removeText : (consequences[move.operation] ?? texts.notDoneText)}
    </AlertDialog>
  );
}

/**
 * The price of the quote that is decided, and whose it is; null for a move that is about no quote.
 */
function useQuoteText(ticket: Ticket): (move: Move) => string | null {
  const texts = useTexts();
  const { locale } = useLocale();
  return (move) => {
    const quote = ticket.quotes.find(({ _id }) => _id === aboutOf(move));
    if (!quote) return null;
    const price = `${formatMoney(quote.price, { locale })} ${basisOf(quote)}`;
    const contractor = ticket.views.find(({ contractor_id }) => contractor_id === quote.contractor_id)?.name;
    return contractor ? texts.priceOf(price, contractor) : price;
  };
}
