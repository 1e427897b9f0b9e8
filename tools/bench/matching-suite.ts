import type { Suite } from './bench.ts';
import { categories } from './matching-invoices.ts';
import { figuresOf, matchingAims, type Outcome, runTrial } from './matching-trial.ts';
import { median } from './statistics.ts';
import { aimed, count, decimals, figure, table, text } from './table.ts';

const seeds = [11, 12, 13, 14, 15];

/** 1,000 tickets and 1,000 invoices, five times over: how many are matched by themselves, and how many of them rightly. */
export const matchingQuality: Suite = async ({ print }) => {
  const trials = seeds.map((seed) => runTrial(seed));
  print(figuresTable(trials));
  print(categoriesTable(trials.flat()));
};

function figuresTable(trials: Outcome[][]): string {
  const rows = trials.map((outcomes, at) => {
    const { precision, share, inFive } = figuresOf(outcomes);
    const wrong = outcomes.filter(({ decision, isRight }) => decision.decision === 'auto' && !isRight).length;
    return [
      ...[String(seeds[at]), decimals(precision, 4), aimed(precision, { least: matchingAims.precision }), count(wrong)],
      ...[decimals(share, 3), aimed(share, { least: matchingAims.share })],
      ...[decimals(inFive, 3), aimed(inFive, { least: matchingAims.inFive })],
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
  ];
  return table(
    'Matching, 1,000 tickets and 1,000 invoices',
    [...columns, figure('in first five'), text('aim'), figure('ms')],
    rows,
  );
}

function categoriesTable(outcomes: readonly Outcome[]): string {
  const rows = categories.map((category) => {
    const own = outcomes.filter(({ drawn }) => drawn.category === category);
    const automatic = own.filter(({ decision }) => decision.decision === 'auto');
    const right = automatic.filter(({ isRight }) => isRight).length;
    const rest = own.filter(({ decision, drawn }) => decision.decision === 'queue' && drawn.tickets.length > 0);
    const hits = rest.filter(({ inFive }) => inFive).length;
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
