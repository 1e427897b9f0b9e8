import { join } from 'node:path';
import { chromiumLaunch, findChromium } from '@app/infra';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import type { Bench } from '../harness/bench.ts';
import { median, quantile } from '../harness/load/statistics.ts';
import { type Account, makeAccount } from '../harness/platform/accounts.ts';
import { againstAim, count, figure, table, text } from '../harness/table.ts';
import { addWaitingInvoices } from './waiting-invoices.ts';

const waiting = 30;
const visits = 5;
const screen = { width: 1440, height: 900 };
const shownWithinMs = 60_000;
const pressesApartMs = 400;

/** `slowdown`: of the processor. */
type Conditions = { name: string; slowdown: number; network: object | null; aimMs: number };
const megabit = 1_000_000 / 8;
const conditions: Conditions[] = [
  { name: 'this machine', slowdown: 1, network: null, aimMs: 1_200 },
  {
    name: 'processor ÷ 4, 10 Mbit/s, 40 ms',
    slowdown: 4,
    network: { offline: false, latency: 40, downloadThroughput: 10 * megabit, uploadThroughput: 10 * megabit },
    aimMs: 2_500,
  },
];
const nextAimMs = 100;

/**
 * How fast the console's invoice bench is in a browser: until the page is shown, and from the key
 * that links an invoice to the next one.
 */
export async function consoleSpeed(bench: Bench): Promise<void> {
  const account = await makeAccount(bench.platform, 'Bench console');
  bench.progress(`console: ${waiting} invoices that wait, each with a document and a suggested ticket`);
  await addWaitingInvoices(bench, account, waiting);
  const browser = await chromium.launch(chromiumLaunch(await findChromium()));
  bench.onEnd(() => browser.close());
  const paints: number[][] = [];
  for (const one of conditions) {
    bench.progress(`console: first visits, ${one.name}`);
    const found: number[] = [];
    for (let visit = 0; visit < visits; visit += 1) found.push(await largestPaint(browser, { bench, account }, one));
    paints.push(found);
  }
  bench.progress('console: linking one invoice after the other');
  const next = await timesToNext(browser, { bench, account });
  print(bench, paints, next);
}

type User = { bench: Bench; account: Account };

async function newContext(browser: Browser, { bench, account }: User): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: screen });
  await context.addInitScript({ path: join(bench.root, 'tools/bench/console/in-page.js') });
  await context.addCookies([{ name: 'session', value: account.session, url: bench.platform.tsApi }]);
  return context;
}

const isDrawn = (page: Page) => page.locator('mark').last().waitFor({ timeout: shownWithinMs });

/** Largest Contentful Paint of a first visit, in ms. */
async function largestPaint(browser: Browser, user: User, { slowdown, network }: Conditions): Promise<number> {
  const context = await newContext(browser, user);
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await devTools.send('Network.enable');
  if (network) await devTools.send('Network.emulateNetworkConditions', network as never);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(`${user.bench.platform.tsApi}/console/invoices`);
  await isDrawn(page);
  const paint = await page.evaluate<number>('largestPaint()');
  await context.close();
  return paint;
}

type TimesToNext = { shown: number[]; drawn: number[] };

/** From the key that links an invoice until the next one is on the screen, and until its document is. */
async function timesToNext(browser: Browser, user: User): Promise<TimesToNext> {
  const context = await newContext(browser, user);
  const page = await context.newPage();
  page.setDefaultTimeout(shownWithinMs);
  await page.goto(`${user.bench.platform.tsApi}/console/invoices`);
  const times: TimesToNext = { shown: [], drawn: [] };
  for (let linked = 1; linked < waiting; linked += 1) {
    await isDrawn(page);
    const following = await numberOfSecond(page);
    await page.getByRole('radiogroup', { name: 'Suggested tickets' }).getByRole('radio').first().waitFor();
    // Two presses within 300 ms are one to the console.
    await page.waitForTimeout(pressesApartMs);
    await page.keyboard.press('1');
    await page.locator('button[aria-keyshortcuts=Enter]:not([data-disabled])').waitFor();
    // It listens before the key is pressed.
    await page.evaluate(`void (globalThis.measured = timesAfterEnter('${following}'))`);
    await page.keyboard.press('Enter');
    const { shown, drawn } = await page.evaluate<{ shown: number; drawn: number }>('measured');
    times.shown.push(shown);
    times.drawn.push(drawn);
  }
  await context.close();
  return times;
}

async function numberOfSecond(page: Page): Promise<string> {
  const row = await page
    .getByRole('row')
    .filter({ hasText: /C-\d{4}/ })
    .nth(1)
    .textContent();
  const [number] = /C-\d{4}/.exec(row ?? '') ?? [];
  if (!number) throw new Error(`there is no second invoice in the list: ${row}`);
  return number;
}

function print(bench: Bench, paints: number[][], { shown, drawn }: TimesToNext): void {
  const columns = [text('the invoice bench'), figure('median, ms'), figure('most or p95, ms'), text('aim')];
  const visited = conditions.map(({ name, aimMs }, n) => {
    const found = paints[n] as number[];
    const middle = median(found);
    return [`largest paint, ${name}`, count(middle), count(Math.max(...found)), againstAim(middle, { most: aimMs }, 0)];
  });
  const ofKey = (name: string, values: number[], aim: string) => [
    name,
    count(median(values)),
    count(
      quantile(
        values.toSorted((a, b) => a - b),
        0.95,
      ),
    ),
    aim,
  ];
  const rows = [
    ...visited,
    ofKey('key to the next invoice', shown, againstAim(median(shown), { most: nextAimMs }, 0)),
    ofKey('key to its document', drawn, ''),
  ];
  bench.print(table(`Console: ${visits} first visits, ${count(shown.length)} links`, columns, rows));
}
