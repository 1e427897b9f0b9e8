import { median } from '../harness/statistics.ts';
import { againstAim, count, decimals, printTable } from '../harness/table.ts';
import { evaluate, figuresOf, matchingAims, type Outcome } from './evaluation.ts';
import { categories } from './generate-invoices.ts';

const seeds = [11, 12, 13, 14, 15];

/** 1,000 tickets and 1,000 invoices with five seeds: how many are linked automatically, and how many of them rightly. */
export async function matchingQuality(): Promise<void> {
  const trials = seeds.map((seed) => evaluate(seed));
  printFigures(trials);
  printCategories(trials.flat());
}

function printFigures(trials: Outcome[][]): void {
  const rows = trials.map((outcomes, at) => {
    const { precision, automaticShare: share, inTopFive } = figuresOf(outcomes);
    const wrong = outcomes.filter(({ decision, isRight }) => decision.decision === 'auto' && !isRight).length;
    return [
      String(seeds[at]),
      decimals(precision, 4),
      againstAim(precision, { least: matchingAims.precision }),
      count(wrong),
      decimals(share, 3),
      againstAim(share, { least: matchingAims.automaticShare }),
      decimals(inTopFive, 3),
      againstAim(inTopFive, { least: matchingAims.inTopFive }),
      decimals(median(outcomes.map(({ us }) => us)) / 1000, 2),
    ];
  });
  const names = ['seed', 'precision', 'aim', 'wrong', 'share by itself', 'aim', 'in first five', 'aim', 'ms'];
  printTable('Matching, 1,000 tickets and 1,000 invoices', names, rows);
}

function printCategories(outcomes: readonly Outcome[]): void {
  const rows = categories.map((category) => {
    const own = outcomes.filter(({ generated }) => generated.category === category);
    const automatic = own.filter(({ decision }) => decision.decision === 'auto');
    const right = automatic.filter(({ isRight }) => isRight).length;
    const rest = own.filter(({ decision, generated }) => decision.decision === 'queue' && generated.tickets.length > 0);
    const hits = rest.filter(({ inTopFive }) => inTopFive).length;
    const shown = rest.length > 0 ? `${hits} of ${rest.length}` : '';
    return [category, count(own.length), count(right), count(automatic.length - right), shown];
  });
  const names = ['what the invoice says', 'invoices', 'right', 'wrong', 'in first five'];
  printTable('Matching, by what the invoices say', names, rows);
}
