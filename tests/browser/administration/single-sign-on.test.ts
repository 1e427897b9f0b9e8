import { answer, type Receiver } from '@app/testing';
import { type Member, newCompany, newReceiver, newUser, stack } from '../../e2e/platform.ts';
import { faultsInAllLooks } from '../accessibility.ts';
import { closeBrowser, closePages, consoleUrl, expect, newPage, open } from '../browser.ts';

let provider: Receiver;
let issuer: string;
beforeAll(async () => {
  provider = await newReceiver();
  issuer = new URL(provider.url('/')).origin;
  const metadata = {
    issuer,
    ...{ authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` },
    ...{ response_types_supported: ['code'], subject_types_supported: ['public'] },
    id_token_signing_alg_values_supported: ['RS256'],
  };
  const json = { 'content-type': 'application/json' };
  provider.behave(answer(200, JSON.stringify(metadata), json), '/.well-known/openid-configuration');
});
afterEach(closePages);
afterAll(async () => {
  await closeBrowser();
  await provider.close();
});

const secret = 'the client secret of a browser test';
const settingsOf = async (admin: Member) => (await admin.ts('GET /company/sso')).data;

test('single sign-on is set up, tried, changed without its secret, and ended; faults stand at their fields', async () => {
  const admin = await newCompany('client');
  const page = await newPage(admin, { expectedErrors: /status of 4(04|22)/, ignoreHTTPSErrors: true });
  await open(page, '/users');
  await page.getByRole('link', { name: 'Single sign-on' }).click();
  await expect(page.getByRole('region', { name: 'State' })).toContainText('Not set up');
  const callback = `${stack().tsApi}/auth/sso/callback`;
  await expect(page.getByRole('region', { name: 'At the provider' })).toContainText(callback);
  await expect(page.getByRole('button', { name: 'Copy: Redirect address' })).toBeVisible();

  const field = (name: string) => page.getByRole('textbox', { name });
  const clientSecret = page.getByLabel('Client secret');
  await field('Issuer').fill(new URL(provider.url('/nothing')).href);
  await field('Client ID').fill('facility');
  await clientSecret.fill(secret);
  await field('Email domains').fill('@example.com\nnot a domain, exa_mple');
  await page.getByRole('button', { name: 'Set up' }).click();
  await expect(field('Email domains')).toHaveAccessibleDescription(/“exa_mple”/);
  await field('Email domains').fill('@Example.com\nexample.org');
  await page.getByRole('button', { name: 'Set up' }).click();
  await expect(field('Issuer')).toHaveAccessibleDescription(/Does not answer as an OpenID Connect provider/);
  await field('Issuer').fill(issuer);
  await page.getByRole('checkbox', { name: 'Tickets' }).check();
  await page.getByRole('button', { name: 'Set up' }).click();
  await expect(page.getByRole('status')).toContainText('Single sign-on saved');
  await expect(page.getByRole('region', { name: 'State' })).toContainText('Count as well');
  const domains = ['example.com', 'example.org'];
  expect(await settingsOf(admin)).toMatchObject({ issuer, allowed_domains: domains, default_permissions: ['tickets'] });

  // The secret is in no field and nowhere else, and stays when the rest changes.
  await expect(clientSecret).toHaveValue('');
  expect(await page.content()).not.toContain(secret);
  await page.getByRole('radio', { name: /Only administrators may use a password/ }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('region', { name: 'State' })).toContainText('Count for administrators alone');
  await field('Client ID').fill('another client');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(clientSecret).toHaveAccessibleDescription(/Is required, as none is stored for this issuer and client/);

  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'Try the sign-in' }).click(),
  ]);
  await expect(tab).toHaveURL(/\/authorize\?/);
  const asked = new URL(tab.url()).searchParams;
  expect([asked.get('client_id'), asked.get('redirect_uri')]).toEqual(['facility', callback]);

  await page.getByRole('button', { name: 'End single sign-on' }).click();
  const question = page.getByRole('alertdialog', { name: 'End single sign-on?' });
  await expect(question).toContainText('Passwords count again for everybody');
  await question.getByRole('button', { name: 'End single sign-on' }).click();
  await expect(page.getByRole('region', { name: 'State' })).toContainText('Not set up');
  await expect(field('Client ID')).toHaveValue('');
  expect(await settingsOf(admin)).toMatchObject({ code: 'sso_not_set' });
});

test('it is for administrators; who tries it in vain is told why; and it is accessible in every look', async () => {
  const admin = await newCompany('contractor');
  const other = await newPage(await newUser(admin.companyId, ['tickets']));
  await open(other, '/users/single-sign-on');
  await expect(other.getByRole('heading', { name: 'You need the permission “admin”.' })).toBeVisible();

  const page = await newPage(admin);
  await page.goto(`${consoleUrl()}?sso_error=refused`);
  await expect(page.getByRole('alert')).toHaveText(/you may not use this console/);
  const fields = { client_id: 'facility', client_secret: secret, allowed_domains: ['example.com'] };
  await admin.ts('PUT /company/sso', { issuer, ...fields, default_permissions: [], password_login: true });
  await open(page, '/users/single-sign-on');
  await expect(page.getByRole('link', { name: 'Try the sign-in' })).toBeVisible();
  expect(await faultsInAllLooks(page)).toEqual([]);
});
