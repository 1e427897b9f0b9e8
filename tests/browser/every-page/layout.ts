import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from '../browser.ts';

/** Another version of the browser, or another length of a number, moves edges by as much. */
const tolerancePx = 12;

export type Box = { what: string; left: number; right: number };

/** Landmarks, headings, tables and controls from top to bottom: what each is, and its left and right edge. */
async function boxesOf(page: Page): Promise<Box[]> {
  await page.evaluate(() => {
    // Monospace is the machine's own, and as wide as that is. In another font ids are as wide as their characters.
    document.documentElement.style.setProperty('--mono', 'var(--font)');
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { currentNode: text } = walker;
      text.nodeValue = text.nodeValue?.replace(/[\da-f]{8,}/g, (id) => '0'.repeat(id.length)) ?? null;
    }
    return document.fonts.ready;
  });
  return page.evaluate(() => {
    const parts = 'header, nav, aside, main, section, form, table, h1, h2, input, textarea, button, canvas';
    const roles = ['grid', 'group', 'tablist', 'radiogroup', 'list'].map((role) => `[role=${role}]`);
    const found = [...document.querySelectorAll<HTMLElement>([parts, ...roles].join())].flatMap((element) => {
      const { left, right, top, width, height } = element.getBoundingClientRect();
      const isSeen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (!isSeen || width < 2 || height < 2 || right <= 0) return [];
      const what = element.getAttribute('role') ?? element.tagName.toLowerCase();
      return [{ what, left: Math.round(left), right: Math.round(right), top, row: 0 }];
    });
    // What begins within 8 px is one row: another font moves it by as much.
    found.sort((one, other) => one.top - other.top);
    let rowTop = Number.NEGATIVE_INFINITY;
    let row = 0;
    for (const box of found) {
      if (box.top - rowTop > 8) {
        rowTop = box.top;
        row += 1;
      }
      box.row = row;
    }
    found.sort((one, other) => one.row - other.row || one.left - other.left || other.right - one.right);
    return found.map(({ what, left, right }) => ({ what, left, right }));
  });
}

/** The boxes once they have come to rest: a PDF is drawn anew for another width. */
export async function settledBoxes(page: Page): Promise<Box[]> {
  let boxes: Box[] = [];
  await expect
    .poll(async () => {
      const before = JSON.stringify(boxes);
      boxes = await boxesOf(page);
      return JSON.stringify(boxes) === before;
    })
    .toBe(true);
  return boxes;
}

const fileOf = (name: string) => join(__dirname, 'layouts', `${name}.txt`);
const lineOf = ({ what, left, right }: Box) => `${what} ${left} ${right}`;

function boxOf(line: string): Box {
  const [what = '', left, right] = line.split(' ');
  return { what, left: Number(left), right: Number(right) };
}

/** What is elsewhere, or something else, than the file says. */
function differences(known: string[], boxes: Box[]): string[] {
  const isNear = (one: number, other: number) => Math.abs(one - other) <= tolerancePx;
  return Array.from({ length: Math.max(known.length, boxes.length) }, (_, n) => {
    const [before, now] = [boxOf(known[n] ?? ''), boxes[n]];
    const isSame = now?.what === before.what && isNear(now.left, before.left) && isNear(now.right, before.right);
    return isSame ? [] : [`${n}: was ${known[n] ?? 'nothing'}, is ${now ? lineOf(now) : 'nothing'}`];
  }).flat();
}

/** The screenshots of docs/people: which page, under which name, how wide. SCREENSHOTS=1 makes them (CONTRIBUTING.md). */
const pictures: Record<string, [name: string, width: number, height: number][]> = {
  bench: [['bench', 1440, 900]],
  ticket: [
    ['ticket', 1280, 900],
    ['phone', 390, 844],
  ],
  endpoint: [['webhooks', 1280, 720]],
  users: [['users', 1280, 600]],
  companies: [['companies', 1280, 500]],
};

export async function takePictures(page: Page, of: string): Promise<void> {
  const tools = await page.context().newCDPSession(page);
  for (const [name, width, height] of pictures[of] ?? []) {
    await page.setViewportSize({ width, height });
    await settledBoxes(page);
    const { data } = await tools.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
    const bytes = Buffer.from(data, 'base64');
    expect(bytes.length).toBeLessThan(100_000);
    writeFileSync(join(__dirname, '../../../docs/people/images', `${name}.webp`), bytes);
  }
}

/**
 * What is elsewhere than the stored file says, by width. `UPDATE_LAYOUTS=1` writes the file anew, to be read in a diff.
 * Boxes, not pixels: these differ with fonts and browsers, and people would accept new ones unseen.
 */
export function layoutFaults(name: string, now: Record<number, Box[]>): string[] {
  const widths = Object.keys(now).map(Number);
  if (process.env['UPDATE_LAYOUTS'] || !existsSync(fileOf(name))) {
    mkdirSync(dirname(fileOf(name)), { recursive: true });
    const parts = widths.map((width) => [`# ${width}`, ...(now[width] ?? []).map(lineOf)].join('\n'));
    writeFileSync(fileOf(name), `${parts.join('\n')}\n`);
    if (!process.env['UPDATE_LAYOUTS']) throw new Error(`${fileOf(name)} was missing: look at it, and commit it`);
  }
  const known = readFileSync(fileOf(name), 'utf8')
    .split(/^# \d+$/m)
    .slice(1);
  return widths.flatMap((width, n) => {
    const lines = (known[n] ?? '').trim().split('\n');
    return differences(lines, now[width] ?? []).map((difference) => `${width} px: ${difference}`);
  });
}
