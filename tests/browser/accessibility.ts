import type { Page } from '@playwright/test';
import axe from 'axe-core';

const widths = [390, 1024, 1440];
/** How long a page may take to draw itself for another width, such as a PDF, on a busy machine. */
const settleMs = 60_000;
const themes = ['light', 'dark'] as const;

/** Waits until transitions have ended: half-way between two themes, a button has the contrast of neither. */
async function transitionsEnd(page: Page): Promise<void> {
  const ended = () => document.getAnimations().every((one) => !(one instanceof CSSTransition));
  await page.waitForFunction(ended, null, { timeout: settleMs });
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that look at colours, and nothing but colours differs between the themes. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** The violations that axe finds on the page, one line per rule. */
export async function violations(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  await transitionsEnd(page);
  const runOnly = rules === 'all' ? { type: 'tag', values: tags } : { type: 'rule', values: colourRules };
  return page.evaluate(async (only) => {
    const { axe: inPage } = window as unknown as { axe: { run(context: object, options: object): Promise<Result> } };
    // What React Aria announces there may be gone from the page meanwhile.
    const context = { exclude: [['[data-live-announcer]']] };
    const { violations: found } = await inPage.run(context, { runOnly: only, resultTypes: ['violations'] });
    return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, runOnly);
}

/** By how many px the page scrolls sideways, after the time to adapt to its new width. */
export async function sidewaysBy(page: Page): Promise<number> {
  const fits = () => document.documentElement.scrollWidth <= window.innerWidth;
  await page.waitForFunction(fits, null, { timeout: settleMs }).catch(() => undefined);
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

type Result = { violations: { id: string; help: string; nodes: { html: string }[] }[] };

/**
 * Checks the page in both themes and at three widths: axe's violations, and sideways scrolling. Expected: none.
 * @param look is called at each width
 */
export async function accessibilityFaults(page: Page, look?: (width: number) => Promise<void>): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const over = await sidewaysBy(page);
    if (over > 0) faults.push(`${width} px: scrolls sideways by ${over} px`);
    await look?.(width);
    // What stands on a page of a width between stands on the narrowest or the widest.
    if (width !== widths[0] && width !== widths.at(-1)) continue;
    for (const theme of themes) {
      await page.evaluate((one) => document.documentElement.setAttribute('data-theme', one), theme);
      const found = await violations(page, theme === 'light' ? 'all' : 'colours');
      faults.push(...found.map((fault) => `${theme}, ${width} px: ${fault}`));
    }
  }
  return faults;
}
