import type { ReactNode } from 'react';
import { Button } from '../../../components/button.tsx';
import { useShortcut } from '../../../shell/keyboard/shortcuts.ts';
import type { useInvoiceActions } from '../data/invoice-actions.ts';
import { confirmsIban } from '../rules/choice.ts';
import { type Invoice, isPlaced, mayClear, mayLink } from '../rules/invoice.ts';
import { objectionsTo } from '../rules/objections.ts';
import { useTexts } from '../texts.ts';
import type { DecisionState } from './decision.ts';
import type { DoubtfulLink } from './doubtful-link.tsx';
import styles from './panel.module.css';

type ActionBarProps = {
  invoice: Invoice;
  decision: DecisionState;
  actions: ReturnType<typeof useInvoiceActions>;
  onClear: () => void;
  /** Asks why an invoice is linked although something speaks against it. */
  onDoubt: (doubtful: DoubtfulLink) => void;
  onSkip: (() => void) | null;
};

/** The possible actions below the panel, each with its key. */
export function ActionBar({ invoice, decision, actions, onClear, onDoubt, onSkip }: ActionBarProps) {
  const texts = useTexts();
  const { linkedTicket, ticket } = invoice;
  const isBusy = actions.isBusy(invoice.id);
  const { chosen, mayLinkNow, isIbanChecked } = decision;
  const isUnsure = confirmsIban(invoice) && !isIbanChecked;
  const again = linkedTicket && invoice.state === 'manual_review' && invoice.reasons.includes('changed_after_link');
  const target = again ? { ...linkedTicket, score: 0, signals: [] } : chosen;
  const mayAct = (again && !isUnsure) || mayLinkNow;
  const link = () => {
    if (!target || !mayAct) return;
    const objections = objectionsTo(invoice, target);
    if (objections.length > 0) onDoubt({ invoice, target, objections });
    else actions.run({ kind: 'link', invoice, target });
  };
  const run = (kind: 'unlink' | 'resync') => actions.run({ kind, invoice });
  const mayUnlink =
    ticket !== null && (isPlaced(invoice) || invoice.state === 'manual_review' || invoice.state === 'error');
  const isClearable = mayClear(invoice);
  const mayResync = ticket === null || invoice.state === 'error';
  useKeys({
    link,
    clear: onClear,
    run,
    decision,
    can: { link: Boolean(mayAct), clear: isClearable && !isUnsure, unlink: mayUnlink, resync: mayResync },
  });
  return (
    <fieldset className={styles['actions']} aria-label={texts.actions}>
      {(mayLink(invoice) || again) && (
        <Act keys="Enter" isPrimary isPending={isBusy} isDisabled={!mayAct} onPress={link}>
          {again ? texts.linkAgain(linkedTicket.number) : chosen ? texts.linkTo(chosen.number) : texts.link}
        </Act>
      )}
      {onSkip && (
        <Act keys="s" onPress={onSkip}>
          {texts.skip}
        </Act>
      )}
      {isClearable && (
        <Act keys="c" isPending={isBusy} isDisabled={isUnsure} onPress={onClear}>
          {texts.clear}
        </Act>
      )}
      {mayUnlink && (
        <Act keys="u" isPending={isBusy} onPress={() => run('unlink')}>
          {texts.unlink}
        </Act>
      )}
      {mayResync && (
        <Act keys="r" onPress={() => run('resync')}>
          {texts.resync}
        </Act>
      )}
    </fieldset>
  );
}

type ActProps = {
  keys: string;
  isPrimary?: boolean;
  isPending?: boolean;
  isDisabled?: boolean;
  onPress: () => void;
  children: ReactNode;
};

function Act({ keys, isPrimary = false, isPending = false, isDisabled = false, onPress, children }: ActProps) {
  return (
    <Button
      variant={isPrimary ? 'primary' : 'secondary'}
      aria-keyshortcuts={keys}
      isPending={isPending}
      isDisabled={isDisabled}
      onPress={onPress}
    >
      {children}
      <span className={styles['key']} aria-hidden="true">
        {keys === 'Enter' ? '↵' : keys}
      </span>
    </Button>
  );
}

type Keys = {
  link: () => void;
  clear: () => void;
  run: (kind: 'unlink' | 'resync') => void;
  decision: DecisionState;
  can: { link: boolean; clear: boolean; unlink: boolean; resync: boolean };
};

function useKeys({ link, clear, run, decision, can }: Keys): void {
  const texts = useTexts();
  useShortcut('Enter', link, { label: texts.keyLink, isOn: can.link });
  useShortcut('c', clear, { label: texts.clear, isOn: can.clear });
  useShortcut('u', () => run('unlink'), { label: texts.unlink, isOn: can.unlink });
  useShortcut('r', () => run('resync'), { label: texts.resync, isOn: can.resync });
  const count = decision.choices.length;
  useShortcut('1', () => decision.pickKey(1), { label: texts.keyChoose, isOn: count >= 1 });
  useShortcut('2', () => decision.pickKey(2), { isOn: count >= 2 });
  useShortcut('3', () => decision.pickKey(3), { isOn: count >= 3 });
  useShortcut('4', () => decision.pickKey(4), { isOn: count >= 4 });
  useShortcut('5', () => decision.pickKey(5), { isOn: count >= 5 });
}
