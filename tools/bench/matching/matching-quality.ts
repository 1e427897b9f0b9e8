import type { Bench } from '../harness/bench.ts';
import { median } from '../harness/statistics.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { evaluate, figuresOf, matchingAims, type Outcome } from './evaluation.ts';
import { categories } from './generate-invoices.ts';

const seeds = [11, 12, 13, 14, 15];

/** 1,000 tickets and 1,000 invoices with five seeds: how many are linked automatically, and how many of them rightly. */
export async function matchingQuality({ print }: Bench): Promise<void> {
  const trials = seeds.map((seed) => evaluate(seed));
  print(figuresTable(trials));
  print(categoriesTable(trials.flat()));
}

function figuresTable(trials: Outcome[][]): string {
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
  const columns = [
    text('seed'),
    figure('precision'),
    text('aim'),
    figure('wrong'),
    figure('share by itself'),
    text('aim'),
    figure('in first five'),
    text('aim'),
    figure('ms'),
  ];
  return table('Matching, 1,000 tickets and 1,000 invoices', columns, rows);
}

function categoriesTable(outcomes: readonly Outcome[]): string {
  const rows = categories.map((category) => {
    const own = outcomes.filter(({ generated }) => generated.category === category);
    const automatic = own.filter(({ decision }) => decision.decision === 'auto');
    const right = automatic.filter(({ isRight }) => isRight).length;
    const rest = own.filter(({ decision, generated }) => decision.decision === 'queue' && generated.tickets.length > 0);
    const hits = rest.filter(({ inTopFive }) => inTopFive).length;
    const shown = rest.length > 0 ? `${hits} of ${rest.length}` : '';
    return [category, count(own.length), count(right), count(automatic.length - right), shown];
  });
  const columns = [
    text('what the invoice says'),
    figure('invoices'),
    figure('right'),
    figure('wrong'),
    figure('in first five'),
  ];
  return table('Matching, by what the invoices say', columns, rows);
}
