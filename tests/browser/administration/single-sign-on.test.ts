import { createSign, generateKeyPairSync } from 'node:crypto';
import { answer, type Behaviour, behaviours, type Receiver } from '@app/testing';
import type { Page } from '@playwright/test';
import { caller, type Member, newCompany, newReceiver, newUser, ok, stack } from '../../e2e/platform.ts';
import { accessibilityFaults } from '../accessibility.ts';
import { closeBrowser, closePages, consoleUrl, expect, newPage, open } from '../browser.ts';

let provider: Receiver;
let issuer: string;
beforeAll(async () => {
  provider = await newReceiver();
  issuer = new URL(provider.url('/')).origin;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
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
const grant = ({ companyId }: Member, granted: string[]) =>
  ok(caller(stack().tsApi, stack().adminToken)(`PUT /admin/companies/${companyId}/domains`, { granted }));

/** A link leads to a page that names the company and its provider; goes on from there. */
async function goOn(page: Page): Promise<void> {
  await expect(page.getByText(`with the account that you have at ${new URL(issuer).host}`)).toBeVisible();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const settingsOf = async (admin: Member) => (await admin.ts('GET /company/sso')).data;

test('single sign-on is set up, tried, changed without its secret, and ended; faults stand at their fields', async () => {
  const admin = await newCompany('client');
  const page = await newPage(admin, { expectedErrors: /status of 4(04|22)/, ignoreHTTPSErrors: true });
  await open(page, '/users');
  await page.getByRole('link', { name: 'Single sign-on' }).click();
  await expect(page.getByRole('region', { name: 'State' })).toContainText('Not set up');
  const callback = `${stack().tsApi}/auth/sso/callback/${admin.companyId}`;
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
  await expect(page.getByRole('region', { name: 'State' })).toContainText('Also accepted');
  const domains = ['example.com', 'example.org'];
  expect(await settingsOf(admin)).toMatchObject({ issuer, allowed_domains: domains, default_permissions: ['tickets'] });

  // Nobody but admins could sign in without a proven domain.
  const proof = page.getByRole('region', { name: 'Proof of the domains' });
  await expect(proof).toContainText(`company=${admin.companyId}`);
  const passwords = page.getByRole('radiogroup', { name: 'Passwords' });
  await passwords.getByRole('radio', { name: /Only administrators/ }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(passwords).toHaveAccessibleDescription(/needs a proven domain/i);
  await grant(admin, domains);

  // The secret is in no field and nowhere else, and stays when the rest changes.
  await expect(clientSecret).toHaveValue('');
  expect(await page.content()).not.toContain(secret);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('region', { name: 'State' })).toContainText('Accepted for administrators only');
  await expect(proof).toContainText('Granted by the operator');
  await field('Client ID').fill('another client');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(clientSecret).toHaveAccessibleDescription(/Is required, as none is stored for this issuer and client/);

  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'Try the sign-in' }).click(),
  ]);
  await goOn(tab);
  await expect(tab).toHaveURL(/\/authorize\?/);
  const asked = new URL(tab.url()).searchParams;
  expect([asked.get('client_id'), asked.get('redirect_uri')]).toEqual(['facility', callback]);

  await page.getByRole('button', { name: 'End single sign-on' }).click();
  const question = page.getByRole('alertdialog', { name: 'End single sign-on?' });
  await expect(question).toContainText('Everybody may use a password again');
  await question.getByRole('button', { name: 'End single sign-on' }).click();
  await expect(page.getByRole('region', { name: 'State' })).toContainText('Not set up');
  await expect(field('Client ID')).toHaveValue('');
  expect(await settingsOf(admin)).toMatchObject({ code: 'sso_not_set' });
});

test('it is for administrators; who tries it in vain is told why; and it is accessible in every look', async () => {
  const admin = await newCompany('contractor');
  const other = await newPage(await newUser(admin.companyId, ['tickets']));
  await open(other, '/users/single-sign-on');
  await expect(other.getByRole('heading', { name: 'You need the permission “Administrator”.' })).toBeVisible();

  const page = await newPage(admin);
  await page.goto(`${consoleUrl()}?sso_error=refused`);
  await expect(page.getByRole('alert')).toHaveText(/you may not use this console/);
  const fields = { client_id: 'facility', client_secret: secret, allowed_domains: ['example.com'] };
  await admin.ts('PUT /company/sso', { issuer, ...fields, default_permissions: [], password_login: true });
  await open(page, '/users/single-sign-on');
  await expect(page.getByRole('link', { name: 'Try the sign-in' })).toBeVisible();
  expect(await accessibilityFaults(page)).toEqual([]);
});

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** From now on the provider lets everybody in, as the user with that address. */
function letIn(email: string): void {
  const json = (body: object) => answer(200, JSON.stringify(body), { 'content-type': 'application/json' });
  const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' };
  provider.behave(json({ keys: [jwk] }), '/keys');
  const authorize: Behaviour = (_req, res, { path }) => {
    const asked = new URL(path, issuer).searchParams;
    const nonce = asked.get('nonce');
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: asked.get('client_id'), sub: email, iat: now, exp: now + 60, nonce };
    const id_token = signed({ ...claims, email, email_verified: true });
    provider.behave(json({ access_token: 'unused', token_type: 'Bearer', expires_in: 60, id_token }), '/token');
    const back = new URLSearchParams({ code: 'a code', state: asked.get('state') ?? '' });
    res.writeHead(302, { location: `${asked.get('redirect_uri')}?${back}` }).end();
  };
  provider.behave(authorize);
}

function signed(claims: object): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: 'one' })}.${part(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(keys.privateKey, 'base64url')}`;
}

/** A company with single sign-on, and an administrator of it who has no password; the provider lets them in at `start`. */
async function newCompanyWithSignOn(first_name: string, last_name: string) {
  const admin = await newCompany('client');
  const domain = `${admin.companyId}.example`;
  const fields = { client_id: 'facility', client_secret: secret, allowed_domains: [domain] };
  await ok(admin.ts('PUT /company/sso', { issuer, ...fields, default_permissions: [], password_login: true }));
  await grant(admin, [domain]);
  const email = `second@${domain}`;
  await ok(admin.ts('POST /company/users', { email, first_name, last_name, permissions: ['admin'] }));
  letIn(email);
  const start = (path: string) =>
    `${stack().tsApi}/auth/sso/start?${new URLSearchParams({ company: admin.companyId, return_to: `/console${path}` })}`;
  return { admin, domain, start };
}

test('an administrator who has no password cannot switch passwords off, and is told why at that choice', async () => {
  const { admin, start } = await newCompanyWithSignOn('Zoé', 'Petit');
  const page = await newPage(null, { expectedErrors: /status of 409/, ignoreHTTPSErrors: true });
  await page.goto(start('/users/single-sign-on'));
  await goOn(page);
  await expect(page.getByText('Zoé Petit')).toBeVisible();
  provider.behave(behaviours.ok);

  const choice = page.getByRole('radiogroup', { name: 'Passwords' });
  await choice.getByRole('radio', { name: /Only administrators/ }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(choice).toHaveAccessibleDescription(/^Set a password of yours first/);
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(await settingsOf(admin)).toMatchObject({ password_login: true });
  await choice.getByRole('radio', { name: /Everybody/ }).check();
  await expect(choice).not.toHaveAccessibleDescription(/Set a password/);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('status')).toContainText('Single sign-on saved');
});

test('whoever has no password signs in again in another tab, and finds what they entered', async () => {
  const { admin, domain, start } = await newCompanyWithSignOn('Paul', 'Roux');
  const page = await newPage(null, { expectedErrors: /status of 401/, ignoreHTTPSErrors: true });
  await page.goto(start('/users'));
  await goOn(page);
  await page.getByRole('button', { name: 'Invite user' }).click();
  const form = page.getByRole('dialog', { name: 'Invite user' });
  for (const [field, value] of Object.entries({ 'First name': 'Léa', 'Last name': 'Moreau', Email: `lea@${domain}` }))
    await form.getByRole('textbox', { name: field }).fill(value);
  await page.context().clearCookies();
  await form.getByRole('button', { name: 'Invite user' }).click();
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await expect(again).toBeVisible();
  const comeBack = () => page.evaluate(() => window.dispatchEvent(new Event('focus')));

  // Somebody else who signed in in this browser does not go on with this page.
  await page.context().addCookies([{ name: 'session', value: admin.session, url: stack().tsApi }]);
  const read = page.waitForResponse((answer) => answer.url().endsWith('/auth/session') && answer.ok());
  await comeBack();
  await read;
  await expect(again).toBeVisible();
  await page.context().clearCookies();

  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    again.getByRole('link', { name: 'Use your company’s account' }).click(),
  ]);
  await goOn(tab);
  await expect(tab.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
  provider.behave(behaviours.ok);
  await tab.close();
  await comeBack();
  await expect(again).toBeHidden();
  await expect(form.getByRole('textbox', { name: 'Last name' })).toHaveValue('Moreau');
  await form.getByRole('button', { name: 'Invite user' }).click();
  await expect(page.getByRole('dialog', { name: 'Password link' })).toBeVisible();
});

test('a sign-in through the company says why it cannot begin', async () => {
  const page = await newPage(null, { expectedErrors: /status of 40[14]/ });
  await open(page, '/tickets');
  await page.getByRole('button', { name: 'Use your company’s account' }).click();
  await page.getByRole('textbox', { name: 'Email at your company' }).fill('nobody@no-provider.example');
  const begun = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/auth/sso/start'),
  );
  await page.getByRole('button', { name: 'Continue' }).click();
  await begun;
  await expect(page.getByRole('alert')).toHaveText(/Your company has no single sign-on/);
});

test('whoever is signed in as another user stays it, and is told so', async () => {
  const { admin, start } = await newCompanyWithSignOn('Jean', 'Blanc');
  const page = await newPage(await newCompany('client'), { ignoreHTTPSErrors: true });
  await page.goto(start('/users'));
  await expect(page.getByText(/You sign in to /)).toContainText(
    (await ok(admin.ts('GET /auth/session'))).data.company.name,
  );
  await goOn(page);
  await expect(page.getByRole('alert')).toHaveText(/this browser is signed in as another user/);
  provider.behave(behaviours.ok);
});
