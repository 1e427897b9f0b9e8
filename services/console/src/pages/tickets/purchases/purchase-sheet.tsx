import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { call, tickets } from '../../../api/client.ts';
import { AmountField } from '../../../components/forms/amount-field.tsx';
import { Checkbox, Select } from '../../../components/forms/choice.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { FormSheet } from '../../../components/overlays/form-sheet.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import { announce } from '../../../session/actions.ts';
import type { Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import { pathOf, refreshTicket } from '../tickets.ts';
import {
  type Amount,
  amountOfQuote,
  changedPurchase,
  enteredIn,
  formerPurchaseValues,
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
    onSettled: () => refreshTicket(ticket._id),
  });
  const submit = (values: FormData) => {
    const purchase = newPurchase(kind, enteredIn(values));
    add.mutate(purchase, {
      onSuccess: ({ created }) => {
        announce(created ? texts.documentAdded(purchase.reference) : texts.purchaseExists(purchase.reference));
        onClose();
      },
    });
  };
  return (
    <PurchaseForm
      title={texts.addPurchase}
      ticket={ticket}
      kind={kind}
      onClose={onClose}
      submit={texts.add_}
      sending={add}
      onSubmit={submit}
    >
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
  const refresh = () => refreshTicket(ticket._id);
  const path = '/api/v3.0/tickets/{ticket_id}/purchases/{purchase_id}';
  const change = (body: ReturnType<typeof changedPurchase>) =>
    call(tickets.PATCH(path, { ...purchasePath(purchase), body }));
  const edit = useMutation({ mutationFn: change, onSettled: refresh });
  const submit = (values: FormData) => {
    const changes = changedPurchase(purchase, enteredIn(values));
    if (Object.keys(changes).length === 0) return onClose();
    const undo = () => change(formerPurchaseValues(purchase, changes)).finally(refresh);
    const done = () => {
      announce(texts.edited(changes.reference ?? purchase.reference), { undo });
      onClose();
    };
    edit.mutate(changes, { onSuccess: done });
  };
  const title = texts.editOf(purchase.reference);
  return (
    <PurchaseForm
      ticket={ticket}
      purchase={purchase}
      title={title}
      onClose={onClose}
      kind={purchase.kind}
      submit={texts.save}
      sending={edit}
      onSubmit={submit}
    />
  );
}

type FormProps = Omit<ComponentProps<typeof FormSheet>, 'children'> & {
  ticket: Ticket;
  kind: Kind;
  purchase?: Purchase;
  children?: ReactNode;
};

function PurchaseForm({ ticket, kind, purchase, children, ...form }: FormProps) {
  const texts = useTexts();
  const orders = ticket.purchases.filter((one) => one.kind === 'purchase_order');
  return (
    <FormSheet {...form}>
      {children}
      <Field label={texts.reference} name="reference" isRequired autoFocus defaultValue={purchase?.reference ?? ''} />
      <QuoteAndAmount quotes={ticket.quotes} purchase={purchase} />
      <Field label={texts.date} name="date" type="date" defaultValue={purchase?.date.slice(0, 10) ?? ''} />
      {kind === 'goods_receipt' && (
        <Link label={texts.order_} name="purchase_order_id" to={orders} chosen={purchase?.purchase_order_id} />
      )}
    </FormSheet>
  );
}

type QuoteAndAmountProps = { quotes: Ticket['quotes']; purchase: Purchase | undefined };

/** The price of the quote that is chosen is proposed as the amount. */
function QuoteAndAmount({ quotes, purchase }: QuoteAndAmountProps) {
  const texts = useTexts();
  const decimal = useLocale().language === 'fr' ? ',' : '.';
  const written = (price: number | string) => String(price).replace('.', decimal);
  const known = purchase?.amount ?? null;
  const [amount, setAmount] = useState<Amount>({
    text: written(known ?? ''),
    withVat: purchase?.includes_vat ?? false,
    isTyped: known !== null,
  });
  const choose = (id: string) => {
    const { price = '', includes_vat: withVat = false } = quotes.find(({ _id }) => _id === id) ?? {};
    setAmount((now) => amountOfQuote(now, { text: written(price), withVat }));
  };
  return (
    <>
      <Link label={texts.quote} name="quote_id" to={quotes} chosen={purchase?.quote_id} onChange={choose} />
      <AmountField
        label={texts.amount}
        name="amount"
        hint={texts.priceHint}
        value={amount.text}
        onChange={(text) => setAmount(({ withVat }) => ({ text, withVat, isTyped: text.trim() !== '' }))}
      />
      <Checkbox
        name="includes_vat"
        value="true"
        isSelected={amount.withVat}
        onChange={(withVat) => setAmount((now) => ({ ...now, withVat }))}
      >
        {texts.includesVat}
      </Checkbox>
    </>
  );
}

type LinkProps = {
  label: string;
  name: string;
  to: readonly { _id: string; reference: string }[];
  chosen: string | null | undefined;
  onChange?: (id: string) => void;
};

/** Chooses what the document belongs to, or nothing. A chosen quote or order that no longer exists stays chosen. */
function Link({ label, name, to, chosen, onChange }: LinkProps) {
  const texts = useTexts();
  const listed = to.map(({ _id, reference }) => ({ id: _id, text: reference }));
  const isGone = chosen != null && to.every(({ _id }) => _id !== chosen);
  const gone = isGone ? [{ id: chosen, text: texts.noLongerListed }] : [];
  return (
    <Select
      label={label}
      name={name}
      options={[{ id: noChoice, text: texts.none }, ...listed, ...gone]}
      defaultValue={chosen ?? noChoice}
      onChange={(id) => onChange?.(String(id))}
    />
  );
}
