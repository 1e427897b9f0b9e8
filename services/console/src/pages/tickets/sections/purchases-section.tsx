import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, tickets } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Select } from '../../../components/choice.tsx';
import { Field } from '../../../components/field.tsx';
import { Form, textOf } from '../../../components/form.tsx';
import { Sheet } from '../../../components/overlay.tsx';
import { Day, Money } from '../../../components/values.tsx';
import { useFrameTexts } from '../../../i18n/locale.tsx';
import { announce } from '../../../session/actions.ts';
import { useSession } from '../../../session/session.ts';
import type { Ticket } from '../list/views.ts';
import { priceOf } from '../moves/moves.ts';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { pathOf, useRefresh } from '../tickets.ts';
import { Section } from './section.tsx';

type Purchase = Ticket['purchases'][number];
const kinds = ['purchase_request', 'purchase_order', 'goods_receipt'] as const;

/** Requests, orders and receipts of the user's company. */
export function PurchasesSection({ ticket }: { ticket: Ticket }) {
  const texts = useTexts();
  const { company } = useSession();
  const [isAdding, setAdding] = useState(false);
  const isClient = company.kind === 'client';
  if (!isClient && ticket.purchases.length === 0) return null;
  return (
    <Section
      id="purchases"
      title={texts.purchases}
      actions={isClient && <Button onPress={() => setAdding(true)}>{texts.addPurchase}</Button>}
    >
      {ticket.purchases.length === 0 ? (
        <p className={styles['small']}>{texts.noPurchases}</p>
      ) : (
        <ul aria-label={texts.purchases} className={styles['items']}>
          {ticket.purchases.map((purchase) => (
            <PurchaseItem key={purchase._id} purchase={purchase} all={ticket.purchases} />
          ))}
        </ul>
      )}
      {isAdding && <AddPurchase ticket={ticket} onClose={() => setAdding(false)} />}
    </Section>
  );
}

function PurchaseItem({ purchase, all }: { purchase: Purchase; all: Purchase[] }) {
  const texts = useTexts();
  const order = all.find(({ _id }) => _id === purchase.purchase_order_id);
  return (
    <li className={styles['item']}>
      <strong>{purchase.reference}</strong>
      <span>{texts.purchaseKinds[purchase.kind]}</span>
      {purchase.amount !== null && <Money amount={purchase.amount} basis="HT" />}
      <Day value={purchase.date} />
      {order && <span className={styles['small']}>{texts.ofOrder(order.reference)}</span>}
    </li>
  );
}

function AddPurchase({ ticket, onClose }: { ticket: Ticket; onClose: () => void }) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const [kind, setKind] = useState<Purchase['kind']>('purchase_order');
  const orders = ticket.purchases.filter((one) => one.kind === 'purchase_order');
  const add = useMutation({
    mutationFn: (body: ReturnType<typeof purchaseIn>) =>
      call(tickets.POST('/api/v3.0/tickets/{ticket_id}/purchases', { ...pathOf(ticket._id), body })),
    onSettled: useRefresh(ticket._id),
  });
  const submit = (values: FormData) => {
    const purchase = purchaseIn(values, kind);
    add.mutate(purchase, {
      onSuccess: () => {
        announce(texts.purchaseAdded(purchase.reference));
        onClose();
      },
    });
  };
  const actions = (
    <>
      <Button onPress={onClose}>{frame.cancel}</Button>
      <Button type="submit" variant="primary" isPending={add.isPending}>
        {texts.add_}
      </Button>
    </>
  );
  const none = { id: 'none', text: frame.none };
  const quotes = ticket.quotes.map(({ _id, reference }) => ({ id: _id, text: reference }));
  const ordered = orders.map(({ _id, reference }) => ({ id: _id, text: reference }));
  const choose = (id: unknown) => setKind(kinds.find((one) => one === id) ?? 'purchase_order');
  return (
    <Sheet title={texts.addPurchase} isOpen onOpenChange={onClose}>
      <Form error={add.error} onSubmit={submit} actions={actions}>
        <Select
          label={texts.kind}
          options={kinds.map((id) => ({ id, text: texts.purchaseKinds[id] }))}
          value={kind}
          onChange={choose}
        />
        <Field label={texts.reference} name="reference" autoFocus />
        <Field label={texts.amount} name="amount" inputMode="decimal" hint={texts.priceHint} />
        <Field label={texts.date} name="date" type="date" />
        <Select label={texts.quote} name="quote_id" options={[none, ...quotes]} defaultValue="none" />
        {kind === 'goods_receipt' && (
          <Select label={texts.order_} name="purchase_order_id" options={[none, ...ordered]} defaultValue="none" />
        )}
      </Form>
    </Sheet>
  );
}

/** A text that is not a number is sent as it is, so that the API names the error. */
function purchaseIn(values: FormData, kind: Purchase['kind']) {
  const amount = textOf(values, 'amount');
  const number = amount === undefined ? Number.NaN : Number(priceOf(amount));
  const date = textOf(values, 'date');
  const chosen = (name: string) => {
    const id = textOf(values, name);
    return id === undefined || id === 'none' ? {} : { [name]: id };
  };
  return {
    kind,
    reference: textOf(values, 'reference') as string,
    ...(amount !== undefined && { amount: Number.isNaN(number) ? (amount as unknown as number) : number }),
    ...(date !== undefined && { date: `${date}T00:00:00Z` }),
    ...chosen('quote_id'),
    ...chosen('purchase_order_id'),
  };
}
