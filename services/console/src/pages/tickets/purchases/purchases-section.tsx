import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, tickets } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Day, Money } from '../../../components/data-display/values.tsx';
import { AlertDialog } from '../../../components/overlays/overlay.tsx';
import { announce } from '../../../session/actions.ts';
import { may } from '../../../session/permissions.ts';
import { useSession } from '../../../session/session.ts';
import type { Ticket } from '../list-query.ts';
import { Section } from '../section.tsx';
import { DownloadButton } from '../sections/download-button.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { basisOf, refreshTicket } from '../tickets.ts';
import { AttachFile } from './attach-file.tsx';
import { type Purchase, takesPurchases } from './purchase-input.ts';
import { AddPurchase, EditPurchase, purchasePath } from './purchase-sheet.tsx';

type Doing = { what: 'edit' | 'attach' | 'delete'; id: string };

/** Requests, orders and receipts of the user's company; a contractor sees the orders that it supplies. */
export function PurchasesSection({ ticket }: { ticket: Ticket }) {
  const texts = useTexts();
  const session = useSession();
  const [isAdding, setAdding] = useState(false);
  const [doing, setDoing] = useState<Doing | null>(null);
  const isClient = session.company.kind === 'client';
  const mayWrite = may(session, 'tickets');
  if (!isClient && ticket.purchases.length === 0) return null;
  const chosen = ticket.purchases.find(({ _id }) => _id === doing?.id);
  const close = () => setDoing(null);
  return (
    <Section
      id="purchases"
      title={texts.purchases}
      actions={
        isClient &&
        mayWrite &&
        takesPurchases(ticket) && <Button onPress={() => setAdding(true)}>{texts.addPurchase}</Button>
      }
    >
      {ticket.purchases.length === 0 ? (
        <p className={styles['small']}>{texts.noPurchases}</p>
      ) : (
        <ul aria-label={texts.purchases} className={styles['items']}>
          {ticket.purchases.map((purchase) => (
            <PurchaseItem key={purchase._id} purchase={purchase} all={ticket.purchases} onDo={mayWrite && setDoing} />
          ))}
        </ul>
      )}
      {isAdding && <AddPurchase ticket={ticket} onClose={() => setAdding(false)} />}
      {chosen && doing?.what === 'edit' && <EditPurchase ticket={ticket} purchase={chosen} onClose={close} />}
      {chosen && doing?.what === 'attach' && <AttachFile purchase={chosen} onClose={close} />}
      {chosen && doing?.what === 'delete' && <DeletePurchase purchase={chosen} onClose={close} />}
    </Section>
  );
}

/** `onDo` false: only to be read; its file is among those of the page. */
type ItemProps = { purchase: Purchase; all: Purchase[]; onDo: false | ((doing: Doing) => void) };

function PurchaseItem({ purchase, all, onDo }: ItemProps) {
  const texts = useTexts();
  const { _id: id, reference, s3_key: key } = purchase;
  const order = all.find(({ _id }) => _id === purchase.purchase_order_id);
  return (
    <li className={styles['item']}>
      <strong>{reference}</strong>
      <span>{texts.purchaseKinds[purchase.kind]}</span>
      {purchase.amount !== null && <Money amount={purchase.amount} basis={basisOf(purchase)} />}
      <Day value={purchase.date} />
      {order && <span className={styles['small']}>{texts.ofOrder(order.reference)}</span>}
      {key && onDo && <DownloadButton ticketId={purchase.ticket_id} s3Key={key} name={reference} />}
      {purchase.editable && onDo && (
        <span className={styles['buttons']}>
          <Button variant="quiet" aria-label={texts.editOf(reference)} onPress={() => onDo({ what: 'edit', id })}>
            {texts.edit}
          </Button>
          <Button variant="quiet" aria-label={texts.attachTo(reference)} onPress={() => onDo({ what: 'attach', id })}>
            {texts.attach}
          </Button>
          <Button variant="quiet" aria-label={texts.deleteOf(reference)} onPress={() => onDo({ what: 'delete', id })}>
            {texts.delete}
          </Button>
        </span>
      )}
    </li>
  );
}

function DeletePurchase({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const texts = useTexts();
  const path = '/api/v3.0/tickets/{ticket_id}/purchases/{purchase_id}';
  const remove = useMutation({
    mutationFn: () => call(tickets.DELETE(path, purchasePath(purchase))),
    onSettled: () => refreshTicket(purchase.ticket_id),
  });
  const done = () => {
    announce(texts.purchaseDeleted(purchase.reference));
    onClose();
  };
  // Not a callback of `mutate`: the refreshed ticket may have unmounted this component before it
  // would run.
  const confirm = () => void remove.mutateAsync().then(done, () => undefined);
  return (
    <AlertDialog
      title={texts.deleteTitle(purchase.reference)}
      confirm={texts.delete}
      isOpen
      sending={remove}
      onConfirm={confirm}
      onOpenChange={onClose}
    >
      {texts.deletePurchaseText}
    </AlertDialog>
  );
}
