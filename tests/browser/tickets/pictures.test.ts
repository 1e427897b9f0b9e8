import type { Locator, Page } from '@playwright/test';
import { en as errors } from '../../../services/console/src/words/error-texts.en.ts';
import { type Contractor, type Member, newTicket, ok } from '../../e2e/platform.ts';
import { violations } from '../accessibility.ts';
import { expect, newPage, open } from '../browser.ts';
import { badge, phone, photo, refusals, useParties } from './ticket-pages.ts';

let client: Member;
let contractor: Contractor;
useParties((...parties) => {
  [client, contractor] = parties;
});

const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') };
const files = (within: Page | Locator) => within.locator('input[type=file]:not([capture])');
const thumbnail = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Timeline' }).getByRole('button', { name });

/** A photo of that width, made by the browser. */
async function aPhoto(page: Page, name: string, width: number, height: number) {
  const mimeType = name.endsWith('.webp') ? 'image/webp' : 'image/jpeg';
  const base64 = await page.evaluate(
    async ([w, h, type]) => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [w, h];
      const context = canvas.getContext('2d');
      for (let x = 0; context && x < w; x += 20) {
        context.fillStyle = `hsl(${(x * 7) % 360} 80% 50%)`;
        context.fillRect(x, 0, 20, h);
      }
      return canvas.toDataURL(type, 0.95).split(',')[1] ?? '';
    },
    [width, height, mimeType] as const,
  );
  return { name, mimeType, buffer: Buffer.from(base64, 'base64') };
}

/** Its width once it is shown as it is stored. */
async function widthOf(picture: Locator): Promise<number> {
  await expect(picture).toHaveAttribute('aria-busy', 'false');
  await expect(picture).toHaveJSProperty('complete', true);
  return picture.evaluate((image) => (image as HTMLImageElement).naturalWidth);
}

test('several files are sent at once, each for itself; photos are reduced unless their original size is asked for', async () => {
  const path = await newTicket(client, { title: 'Photographed' });
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, path);
  const sheet = page.getByRole('dialog');
  const add = sheet.getByRole('button', { name: 'Add', exact: true });
  await page.getByRole('button', { name: 'Add document' }).click();
  await files(sheet).setInputFiles([await aPhoto(page, 'wide.jpg', 4000, 3000), notes, photo]);
  await add.click();
  const listed = sheet.getByRole('list', { name: 'Files' }).getByRole('listitem');
  await expect(listed.filter({ hasText: 'notes.txt' }).getByRole('alert')).toContainText(String(errors.file_type));
  await expect(listed.filter({ hasText: 'Sent' })).toHaveCount(2);
  await sheet.getByRole('button', { name: 'Remove notes.txt' }).click();
  await files(sheet).setInputFiles(await aPhoto(page, 'original.jpg', 3000, 2000));
  await sheet.getByRole('checkbox', { name: /original size/ }).check();
  await add.click();
  await expect(sheet).toBeHidden();

  await thumbnail(page, 'wide.jpg').click();
  expect(await widthOf(sheet.getByRole('img', { name: 'wide.jpg' }))).toBe(2560);
  await page.keyboard.press('Escape');
  await thumbnail(page, 'original.jpg').click();
  expect(await widthOf(sheet.getByRole('img', { name: 'original.jpg' }))).toBe(3000);
  const { documents } = (await ok(client.api(`GET ${path}/documents`))).data;
  expect(documents.map(({ name }: { name: string }) => name).sort()).toEqual(['original.jpg', 'photo.png', 'wide.jpg']);
});

test('a photo in a format of phones is sent as a JPEG if the browser reads it; otherwise it is said what is taken', async () => {
  const path = await newTicket(client, { title: 'From a phone' });
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, path);
  const sheet = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Add document' }).click();
  // So a phone gives a JPEG of its HEIC.
  const accepted = sheet.locator('input[type=file]').evaluateAll((all) => all.map((one) => one.getAttribute('accept')));
  expect((await accepted).map((types) => /image\/jpeg/.test(types ?? '') && !/hei[cf]|\*/.test(types ?? ''))).toEqual([
    ...[true, true],
  ]);
  const heic = { name: 'IMG_1.HEIC', mimeType: '', buffer: Buffer.from('\0\0\0\x18ftypheic', 'latin1') };
  await files(sheet).setInputFiles([await aPhoto(page, 'wide.webp', 4000, 3000), heic]);
  await sheet.getByRole('button', { name: 'Add', exact: true }).click();
  const listed = sheet.getByRole('list', { name: 'Files' }).getByRole('listitem');
  await expect(listed.filter({ hasText: 'wide.webp' })).toContainText('Sent');
  await expect(listed.filter({ hasText: 'IMG_1.HEIC' }).getByRole('alert')).toContainText(String(errors.file_type));
  await sheet.getByRole('button', { name: 'Remove IMG_1.HEIC' }).click();
  await files(sheet).setInputFiles(await aPhoto(page, 'small.webp', 300, 200));
  await sheet.getByRole('checkbox', { name: /original size/ }).check();
  await sheet.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(sheet).toBeHidden();
  for (const [name, width] of [
    ['wide.jpg', 2560],
    ['small.jpg', 300],
  ] as const) {
    await thumbnail(page, name).click();
    expect(await widthOf(sheet.getByRole('img', { name }))).toBe(width);
    await page.keyboard.press('Escape');
  }
});

test('a thumbnail of the timeline opens large; keys, buttons and swipes show the others, and Escape leads back', async () => {
  const path = await newTicket(client, { title: 'Looked at' });
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  const page = await newPage(contractor, phone);
  await open(page, path);
  for (const name of ['first.jpg', 'second.jpg', 'third.jpg']) {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array((await aPhoto(page, name, 800, 600)).buffer)]), name);
    await ok(client.api(`POST ${path}/documents`, form));
  }
  await page.reload();
  const small = thumbnail(page, 'third.jpg');
  await expect(small.getByRole('img')).toHaveJSProperty('naturalWidth', 480);
  await small.focus();
  await page.keyboard.press('Enter');
  const viewer = page.getByRole('dialog');
  const shows = (name: string) => expect(viewer.getByRole('heading', { name })).toBeVisible();
  await shows('third.jpg');
  expect(await widthOf(viewer.getByRole('img', { name: 'third.jpg' }))).toBe(800);
  expect(await violations(page)).toEqual([]);
  // The newest first, as in the timeline.
  await expect(viewer.getByRole('button', { name: 'Previous picture' })).toBeDisabled();
  await page.keyboard.press('ArrowRight');
  await shows('second.jpg');
  await viewer.getByRole('button', { name: 'Next picture' }).click();
  await shows('first.jpg');
  await expect(viewer.getByRole('status')).toHaveText('3 of 3');
  const box = await viewer.getByRole('img', { name: 'first.jpg' }).boundingBox();
  const middle = { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
  await page.mouse.move(middle.x - 60, middle.y);
  await page.mouse.down();
  await page.mouse.move(middle.x + 60, middle.y + 5);
  await page.mouse.up();
  await shows('second.jpg');
  await page.keyboard.press('Home');
  await shows('third.jpg');
  await page.keyboard.press('Escape');
  await expect(viewer).toBeHidden();
  await expect(small).toBeFocused();
});

test('a ticket is created with its files; one that fails does not cost the ticket', async () => {
  const page = await newPage(client, { expectedErrors: refusals });
  const create = async (title: string, chosen: Parameters<Locator['setInputFiles']>[0]) => {
    await open(page, '/tickets/new');
    await page.getByRole('textbox', { name: 'Title' }).fill(title);
    await files(page).setInputFiles(chosen);
    await page.getByRole('button', { name: 'Create ticket' }).click();
  };
  await create('With a photo', photo);
  await expect(badge(page, 'Open')).toBeVisible();
  await expect(thumbnail(page, 'photo.png')).toBeVisible();

  await create('With a text', [photo, notes]);
  await expect(page.getByText('Some of its files were not added')).toBeVisible();
  await expect(page.getByRole('alert')).toContainText(String(errors.file_type));
  await page.getByRole('link', { name: 'Go to the ticket' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /With a text/ })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Documents' }).getByRole('listitem')).toHaveText([/photo\.png/]);
  expect((await ok(client.api('GET /tickets?q=text'))).data.tickets).toHaveLength(1);
});
