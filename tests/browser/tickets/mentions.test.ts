import { eventually } from '@app/testing';
import { type Contractor, type Member, newTicket, ok } from '../../e2e/platform.ts';
import { violations } from '../accessibility.ts';
import { expect, newPage, open } from '../browser.ts';
import { pressOn, tabTo } from '../keyboard.ts';
import { refusals, useParties } from './ticket-pages.ts';

let client: Member;
let contractor: Contractor;
let colleague: string;
useParties(async (...parties) => {
  [client, contractor] = parties;
  colleague = await colleagueOf('Éloïse', 'Roux');
  await colleagueOf('Élias', 'Petit');
});

/** A colleague of the client, once the ticket service knows them. */
async function colleagueOf(first_name: string, last_name: string): Promise<string> {
  const names = { first_name, last_name, email: `${crypto.randomUUID()}@example.com` };
  const { data } = await ok(client.ts('POST /company/users', { ...names, permissions: ['tickets'] }));
  const listed = async () => JSON.stringify((await ok(client.api('GET /users?limit=200'))).data);
  await eventually(async () => {
    if (!(await listed()).includes(data.id)) throw new Error('the ticket service does not know the user yet');
  });
  return data.id;
}

test('a colleague is mentioned by the keyboard alone, and shown by name to both parties', async () => {
  const path = await newTicket(client);
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  const page = await newPage(client);
  await open(page, path);
  const note = page.getByRole('textbox', { name: 'Note' });
  const options = page.getByRole('listbox').getByRole('option');
  await tabTo(page, note);
  await page.keyboard.type('Ask @el');
  await expect(options).toHaveText(['Élias Petit', 'Éloïse Roux']);
  const active = () =>
    note.evaluate((area) => document.getElementById(area.getAttribute('aria-activedescendant') ?? '')?.textContent);
  await expect.poll(active).toBe('Élias Petit');
  // React Aria's popovers stand at the end of the page, outside its landmarks.
  expect((await violations(page)).filter((one) => !one.startsWith('region:'))).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await expect.poll(active).toBe('Éloïse Roux');
  await page.keyboard.press('Enter');
  await expect(note).toHaveValue('Ask @Éloïse Roux ');
  await expect(options).toHaveCount(0);
  await page.keyboard.type('about @E');
  await expect(options).toHaveCount(2);
  await page.keyboard.press('Escape');
  await expect(options).toHaveCount(0);
  await page.keyboard.type('DF zz');
  await page.keyboard.press('Enter');
  await expect(note).toHaveValue('Ask @Éloïse Roux about @EDF zz\n');
  await pressOn(page, page.getByRole('button', { name: 'Add note' }));
  const shown = page.getByRole('list', { name: 'Timeline' });
  await expect(shown.getByText('@Éloïse Roux', { exact: true })).toBeVisible();
  const { data } = await ok(client.api(`GET ${path}/notes`));
  expect(data.notes[0].note).toContain(`Ask @[Éloïse Roux](user:${colleague}) about @EDF zz`);
  const van = await newPage(contractor);
  await open(van, path);
  await expect(van.getByText('@Éloïse Roux', { exact: true })).toBeVisible();
});

test('nobody else is suggested, and who may not read the note is told of at the field', async () => {
  const page = await newPage(client, { expectedErrors: refusals, locale: 'fr-FR' });
  await open(page, await newTicket(client));
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.pressSequentially('@Fix');
  await expect(page.getByText('Personne de ce nom, dans votre entreprise, ne peut lire cette note.')).toBeVisible();
  await note.fill('');
  await note.pressSequentially('@Roux');
  await page.getByRole('option', { name: 'Éloïse Roux' }).click();
  await expect(note).toHaveValue('@Éloïse Roux ');
  await expect(note).toBeFocused();
  await page.getByRole('radio', { name: 'Gestionnaires' }).check({ force: true });
  await page.getByRole('button', { name: 'Ajouter la note' }).click();
  await expect(note).toHaveAccessibleDescription(/Mentionne Éloïse Roux, qui ne lit pas les notes des gestionnaires/);
  await expect(note).toHaveValue('@Éloïse Roux ');
});
