import type { Random } from '@app/demo';
import { hasSirenKey } from '@app/kernel';
import type { KnownContractor } from '@app/matching';

/**
 * A contractor; several with one SIREN are establishments of one company. `printed`: the numbers on its invoices (the
 * client's directory lacks some). `fees`: its recurring prices.
 */
export type Company = KnownContractor & {
  name: string;
  iban: string;
  fees: number[];
  quoteStyle: string;
  printed: { siren: string; siret: string };
};

const quoteStyles = ['DEV-YYYY-###', 'D#####', 'DV YY-####', 'Q-####', '#####', 'YYYY-0###'];

/** Sixty establishments, of fewer companies. */
export function createCompanies(random: Random, id: () => string): Company[] {
  const companies: Company[] = [];
  for (let number = 0; companies.length < 60; number += 1) {
    const siren = sirenOf(300_000_00 + number * 7919 + random.whole(0, 5000));
    // The client knows the numbers of the contractors it works with most.
    const isNumbered = number < 6 || !random.chance(0.04);
    const establishments = random.chance(0.2) ? random.whole(2, 3) : 1;
    for (let at = 0; at < establishments; at += 1) {
      const iban = ibanOf(String(number * 10 + at).padStart(23, '0'));
      const fees = [random.whole(7, 12) * 10, random.whole(12, 20) * 10, random.whole(40, 120) * 10];
      const quoteStyle = random.one(quoteStyles);
      const siret = `${siren}000${at + 1}${random.whole(0, 9)}`;
      const printed = { siren, siret };
      const numbers = isNumbered ? printed : { siren: null, siret: null };
      const accounts = random.chance(0.3) ? [iban] : [];
      companies.push({ id: id(), ...numbers, accounts, name: `Atelier ${number}`, iban, fees, quoteStyle, printed });
    }
  }
  return companies;
}

function sirenOf(start: number): string {
  const digits = String(start).padStart(8, '0').slice(0, 8);
  return [...'0123456789'].map((key) => digits + key).find(hasSirenKey) as string;
}

function ibanOf(account: string): string {
  const rest = Number(BigInt(`${account}152700`) % 97n);
  return `FR${String(98 - rest).padStart(2, '0')}${account}`;
}
