import type { ReactNode } from 'react';
import { Link } from 'react-aria-components';
import { useSearch } from 'wouter';
import { DateTime, Day } from '../../../components/data-display/values.tsx';
import type { FromList } from '../../../routing/from-list.ts';
import type { Invoice } from '../rules/invoice.ts';
import { Sums } from '../sums.tsx';
import { useTexts } from '../texts.ts';
import styles from './panel.module.css';

/** The supplier, date and amounts of the invoice. */
export function Identity({ invoice }: { invoice: Invoice }) {
  const texts = useTexts();
  const { number, supplier, issueDate, dueDate, createdAt } = invoice;
  const search = useSearch();
  return (
    <>
      <dl className={styles['facts']}>
        <Fact name={texts.number}>
          <Link href={`/invoices/${invoice.id}`} routerOptions={{ state: { list: search } satisfies FromList }}>
            {number ?? texts.unnumbered}
          </Link>
        </Fact>
        {supplier.siren && <Fact name={texts.siren}>{grouped(supplier.siren)}</Fact>}
        {issueDate && (
          <Fact name={texts.issued}>
            <Day value={issueDate} />
          </Fact>
        )}
        {dueDate && (
          <Fact name={texts.due}>
            <Day value={dueDate} />
          </Fact>
        )}
        <Fact name={texts.received}>
          <DateTime value={createdAt} />
        </Fact>
      </dl>
      <Sums invoice={invoice} className={styles['amounts']} />
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function grouped(siren: string): string {
  return siren.replace(/^(\d{3})(\d{3})(\d{3})$/, '$1\u00a0$2\u00a0$3');
}
