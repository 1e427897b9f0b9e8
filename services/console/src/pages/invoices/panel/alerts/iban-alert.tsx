import { Fragment } from 'react';
import { VisuallyHidden } from 'react-aria-components';
import { Checkbox } from '../../../../components/forms/choice.tsx';
import { ibanGroups, nearestIban } from '../../rules/iban.ts';
import type { Invoice } from '../../rules/invoice.ts';
import { useTexts } from '../../texts.ts';
import type { DecisionState } from '../decision.ts';
import styles from '../panel.module.css';
import { Alert } from './alert.tsx';

/**
 * The accounts of the invoice that are not known, beside the known ones, with their differences marked. The user must confirm that
 * the supplier was asked before linking or clearing.
 */
export function IbanAlert({ invoice, decision }: { invoice: Invoice; decision: DecisionState }) {
  const texts = useTexts();
  const { supplier, knownAccounts } = invoice;
  const added = supplier.accounts.filter((account) => !knownAccounts.includes(account));
  return (
    <Alert title={texts.ibanChanged} isDanger isRegion>
      <dl className={styles['ibans']}>
        <div>
          <dt>{texts.ibanNew}</dt>
          <dd>
            {added.map((account) => (
              <Iban key={account} iban={account} other={nearestIban(knownAccounts, account)} />
            ))}
          </dd>
        </div>
        <div>
          <dt>{texts.ibanKnown}</dt>
          <dd>
            {knownAccounts.length === 0
              ? texts.ibanNone
              : knownAccounts.map((known) => <Iban key={known} iban={known} other={nearestIban(added, known)} />)}
          </dd>
        </div>
      </dl>
      <p>{texts.ibanWhy}</p>
      <Checkbox isSelected={decision.isIbanChecked} onChange={decision.checkIban}>
        {texts.ibanChecked}
      </Checkbox>
      <p className={styles['muted']}>{texts.confirmsIban(supplier.name ?? texts.unnamedSupplier)}</p>
    </Alert>
  );
}

function Iban({ iban, other }: { iban: string; other: string | null }) {
  return (
    <span className={styles['iban']}>
      <VisuallyHidden>{iban}</VisuallyHidden>
      <span aria-hidden="true">
        {ibanGroups(iban, other).map(({ text, differs }, group) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: by their position alone
          <Fragment key={group}>
            <span className={styles['four']}>
              {[...text].map((letter, index) => {
                // biome-ignore lint/suspicious/noArrayIndexKey: by their position alone
                return differs[index] ? <b key={index}>{letter}</b> : <span key={index}>{letter}</span>;
              })}
            </span>
          </Fragment>
        ))}
      </span>
    </span>
  );
}
