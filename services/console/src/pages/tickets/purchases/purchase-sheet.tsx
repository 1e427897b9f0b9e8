import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, tickets } from '../../../api/client.ts';
import { Select } from '../../../components/forms/choice.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Form } from '../../../components/forms/form.tsx';
import { FormActions } from '../../../components/forms/form-actions.tsx';
import { Sheet } from '../../../components/overlays/overlay.tsx';
import { useFrameTexts } from '../../../i18n/locale.tsx';
import { announce } from '../../../session/actions.ts';
import { useTexts } from '../texts.ts';
import { pathOf, useRefresh } from '../tickets.ts';
import type { Ticket } from '../views.ts';
import {
  changedPurchase,
  earlierPurchase,
  enteredIn,
  type Kind,
  kinds,
  newPurchase,
  noChoice,
  type Purchase,
} from './purchase-input.ts';

type Props = { ticket: Ticket; onClose: () => void };

export const purchasePath = ({ ticket_id, _id }: Purchase) => ({
  params: { path: { ticket_id, purchase_id: _id } },
});

export function AddPurchase({ ticket, onClose }: Props) {
  const texts = useTexts();
  const [kind, setKind] = useState<Kind>('purchase_order');
  const add = useMutation({
    mutationFn: (body: ReturnType<typeof newPurchase>) =>
      call(tickets.POST('/api/v3.0/tickets/{ticket_id}/purchases', { ...pathOf(ticket._id), body })),
    onSettled: useRefresh(ticket._id),
  });
  const submit = (values: FormData) => {
    const purchase = newPurchase(kind, enteredIn(values));
    add.mutate(purchase, {
      onSuccess: ({ created }) => {
        announce(created ? texts.purchaseAdded(purchase.reference) : texts.purchaseExists(purchase.reference));
        onClose();
      },
    });
  };
  return (
    <PurchaseForm title={texts.addPurchase} confirm={texts.add_} {...{ ticket, kind, onClose, submit, send: add }}>
      <Select
        label={texts.kind}
        options={kinds.map((id) => ({ id, text: texts.purchaseKinds[id] }))}
        value={kind}
        onChange={(id) => setKind(kinds.find((one) => one === id) ?? 'purchase_order')}
      />
    </PurchaseForm>
  );
}

/** Its kind stays: the API changes everything else. */
export function EditPurchase({ ticket, purchase, onClose }: Props & { purchase: Purchase }) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const refresh = useRefresh(ticket._id);
  const path = '/api/v3.0/tickets/{ticket_id}/purchases/{purchase_id}';
  const change = (body: ReturnType<typeof changedPurchase>) =>
    call(tickets.PATCH(path, { ...purchasePath(purchase), body }));
  const edit = useMutation({ mutationFn: change, onSettled: refresh });
  const submit = (values: FormData) => {
    const changes = changedPurchase(purchase, enteredIn(values));
    if (Object.keys(changes).length === 0) return onClose();
    const undo = () => change(earlierPurchase(purchase, changes)).finally(refresh);
    const done = () => {
      announce(texts.purchaseChanged(changes.reference ?? purchase.reference), { undo });
      onClose();
    };
    edit.mutate(changes, { onSuccess: done });
  };
  const title = texts.editOf(purchase.reference);
  return (
    <PurchaseForm
      {...{ ticket, purchase, title, onClose, submit }}
      kind={purchase.kind}
      confirm={frame.save}
      send={edit}
    />
  );
}

type FormProps = Props & {
  title: string;
  confirm: string;
  kind: Kind;
  purchase?: Purchase;
  submit: (values: FormData) => void;
  send: { error: unknown; isPending: boolean };
  children?: ReactNode;
};

function PurchaseForm({ ticket, title, confirm, kind, purchase, submit, send, onClose, children }: FormProps) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const none = { id: noChoice, text: frame.none };
  const optionOf = ({ _id, reference }: { _id: string; reference: string }) => ({ id: _id, text: reference });
  const orders = ticket.purchases.filter((one) => one.kind === 'purchase_order').map(optionOf);
  // A chosen quote or order that no longer exists stays chosen.
  const withChosen = (options: { id: string; text: string }[], id: string | null | undefined) =>
    id && options.every((one) => one.id !== id)
      ? [none, ...options, { id, text: texts.noLongerListed }]
      : [none, ...options];
  const actions = <FormActions onCancel={onClose} submit={confirm} isPending={send.isPending} />;
  const amount = purchase?.amount ?? '';
  const { quote_id: quote, purchase_order_id: order } = purchase ?? {};
  return (
    <Sheet title={title} isOpen onOpenChange={onClose}>
      <Form error={send.error} onSubmit={submit} actions={actions}>
        {children}
        <Field label={texts.reference} name="reference" autoFocus defaultValue={purchase?.reference ?? ''} />
        <Field
          label={texts.amount}
          name="amount"
          inputMode="decimal"
          hint={texts.priceHint}
          defaultValue={String(amount)}
        />
        <Field label={texts.date} name="date" type="date" defaultValue={purchase?.date.slice(0, 10) ?? ''} />
        <Select
          label={texts.quote}
          name="quote_id"
          options={withChosen(ticket.quotes.map(optionOf), quote)}
          defaultValue={quote ?? noChoice}
        />
        {kind === 'goods_receipt' && (
          <Select
            label={texts.order_}
            name="purchase_order_id"
            options={withChosen(orders, order)}
            defaultValue={order ?? noChoice}
          />
        )}
      </Form>
    </Sheet>
  );
}
