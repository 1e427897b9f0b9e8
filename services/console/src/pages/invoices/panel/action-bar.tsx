import type { ReactNode } from 'react';
import { Button } from '../../../components/button.tsx';
import { useShortcut } from '../../../shell/keyboard/shortcuts.ts';
import type { useInvoiceActions } from '../data/invoice-actions.ts';
import { confirmsIban } from '../rules/choice.ts';
import { mayConclude } from '../rules/conclusion.ts';
import { type Invoice, isLinked, mayClear, mayLink } from '../rules/invoice.ts';
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
  onConclude: () => void;
  onTell: () => void;
  /** Asks why an invoice is linked although something speaks against it. */
  onDoubt: (doubtful: DoubtfulLink) => void;
  onSkip: (() => void) | null;
};

/** The possible actions below the panel, each with its key. */
export function ActionBar({ invoice, decision, actions, onSkip, ...asking }: ActionBarProps) {
  const { onClear, onConclude, onTell, onDoubt } = asking;
  const texts = useTexts();
  const isBusy = actions.isBusy(invoice.id);
  const { target, again, isUnsure, mayAct } = targetOf(invoice, decision);
  const link = () => {
    if (!target || !mayAct) return;
    const objections = objectionsTo(invoice, target);
    if (objections.length > 0) onDoubt({ invoice, target, objections });
    else actions.run({ kind: 'link', invoice, target });
  };
  const run = (kind: 'unlink' | 'resync' | 'reopen') => actions.run({ kind, invoice });
  const { ticket, state } = invoice;
  const mayUnlink = ticket !== null && (isLinked(invoice) || state === 'manual_review' || state === 'error');
  const isClearable = mayClear(invoice);
  const mayTell = invoice.supplierStatus.sendable.length > 0;
  const isRefusalFailed = invoice.conclusion?.outcome === 'refused' && invoice.flags.includes('refusal_failed');
  const mayResync = (ticket === null && invoice.conclusion === null) || state === 'error' || isRefusalFailed;
  useKeys({
    link,
    clear: onClear,
    conclude: onConclude,
    tell: onTell,
    run,
    decision,
    can: {
      link: mayAct,
      clear: isClearable && !isUnsure,
      unlink: mayUnlink,
      resync: mayResync,
      conclude: mayConclude(invoice),
      tell: mayTell,
    },
  });
  return (
    <fieldset className={styles['actions']} aria-label={texts.actions} data-screen>
      {(mayLink(invoice) || again) && (
        <Act keys="Enter" isPrimary isPending={isBusy} isDisabled={!mayAct} onPress={link}>
          {target ? (again ? texts.linkAgain : texts.linkTo)(target.number) : texts.link}
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
      {mayTell && (
        <Act keys="t" isPending={isBusy} onPress={onTell}>
          {texts.tell}
        </Act>
      )}
      <ConclusionActs invoice={invoice} isBusy={isBusy} onConclude={onConclude} onReopen={() => run('reopen')} />
      {mayResync && (
        <Act keys="r" onPress={() => run('resync')}>
          {texts.resync}
        </Act>
      )}
    </fieldset>
  );
}

/** What Enter links to: the invoice's own ticket if the invoice changed since it was linked, else the chosen one. */
function targetOf(invoice: Invoice, { chosen, mayLinkNow, isIbanChecked }: DecisionState) {
  const { linkedTicket, state, reasons } = invoice;
  const isUnsure = confirmsIban(invoice) && !isIbanChecked;
  const own = state === 'manual_review' && reasons.includes('changed_after_link') ? linkedTicket : null;
  return {
    target: own ? { ...own, score: 0, signals: [] } : chosen,
    again: own !== null,
    isUnsure,
    mayAct: (own !== null && !isUnsure) || mayLinkNow,
  };
}

type ConclusionProps = { invoice: Invoice; isBusy: boolean; onConclude: () => void; onReopen: () => void };

function ConclusionActs({ invoice, isBusy, onConclude, onReopen }: ConclusionProps) {
  const texts = useTexts();
  return (
    <>
      {mayConclude(invoice) && (
        <Act keys="x" isPending={isBusy} onPress={onConclude}>
          {texts.conclude}
        </Act>
      )}
      {invoice.conclusion && (
        <Act isPending={isBusy} onPress={onReopen}>
          {texts.reopen}
        </Act>
      )}
    </>
  );
}

type ActProps = {
  keys?: string;
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
      {...(keys !== undefined && { 'aria-keyshortcuts': keys })}
      isPending={isPending}
      isDisabled={isDisabled}
      onPress={onPress}
    >
      {children}
      {keys !== undefined && (
        <span className={styles['key']} aria-hidden="true">
          {keys === 'Enter' ? '↵' : keys}
        </span>
      )}
    </Button>
  );
}

type Keys = {
  link: () => void;
  clear: () => void;
  conclude: () => void;
  tell: () => void;
  run: (kind: 'unlink' | 'resync') => void;
  decision: DecisionState;
  can: { link: boolean; clear: boolean; unlink: boolean; resync: boolean; conclude: boolean; tell: boolean };
};

function useKeys({ link, clear, conclude, tell, run, decision, can }: Keys): void {
  const texts = useTexts();
  useShortcut('Enter', link, { label: texts.keyLink, isOn: can.link });
  useShortcut('c', clear, { label: texts.clear, isOn: can.clear });
  useShortcut('x', conclude, { label: texts.conclude, isOn: can.conclude });
  useShortcut('t', tell, { label: texts.tell, isOn: can.tell });
  useShortcut('u', () => run('unlink'), { label: texts.unlink, isOn: can.unlink });
  useShortcut('r', () => run('resync'), { label: texts.resync, isOn: can.resync });
  const count = decision.choices.length;
  useShortcut('1', () => decision.pickKey(1), { label: texts.keyChoose, isOn: count >= 1 });
  useShortcut('2', () => decision.pickKey(2), { isOn: count >= 2 });
  useShortcut('3', () => decision.pickKey(3), { isOn: count >= 3 });
  useShortcut('4', () => decision.pickKey(4), { isOn: count >= 4 });
  useShortcut('5', () => decision.pickKey(5), { isOn: count >= 5 });
}
