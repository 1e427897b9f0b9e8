import { Money } from '../../components/data-display/values.tsx';
import type { Invoice } from './rules/invoice.ts';
import { useTexts } from './texts.ts';

/** What an invoice comes to, as far as it is known. */
export function Sums({ invoice, className }: { invoice: Invoice; className: string | undefined }) {
  const texts = useTexts();
  const { amounts, currency } = invoice;
  return (
    amounts && (
      <dl className={className}>
        {(['ht', 'tva', 'ttc'] as const).map((name) => (
          <div key={name}>
            <dt>{texts[name]}</dt>
            <dd>
              <Money amount={amounts[name]} currency={currency ?? 'EUR'} />
            </dd>
          </div>
        ))}
      </dl>
    )
  );
}
