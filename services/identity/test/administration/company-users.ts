import { type Answer, goodPassword, type Identity, type Login } from '../identity.ts';

export type View = Record<string, unknown> & {
  id: string;
  email: string;
  password_link: { url: string; token: string };
};

export const aPerson = (email: string) => ({ email, first_name: 'Léa', last_name: 'Moreau', permissions: ['tickets'] });
let count = 0;
export const anEmail = () => `person-${count++}@acme.test`;
export const code = ({ status, body }: Answer) => [status, body['code']];
export const fieldsAtFault = ({ body }: Answer) =>
  (body['errors'] as unknown as { path: string }[] | undefined)?.map(({ path }) => path);

/** What the admin of the running test does with the users of the company. */
export function companyUsersOf(current: () => { identity: Identity; admin: Login }) {
  const as = (login: Login, method: string, path: string, body?: unknown, headers = {}) =>
    current().identity.call(method, path, {
      as: login.principal,
      body,
      headers: { 'x-session-token': login.token, ...headers },
    });

  async function invite(login = current().admin, fields: object = {}): Promise<View> {
    const answer = await as(login, 'POST', '/company/users', { ...aPerson(anEmail()), ...fields });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body as unknown as View;
  }
  const setPassword = (token: string, password = goodPassword) =>
    current().identity.call('POST', '/auth/password-link', { body: { token, password } });
  async function member(fields: object = {}): Promise<{ user: View; login: Login }> {
    const user = await invite(current().admin, fields);
    await setPassword(user.password_link.token);
    return { user, login: await current().identity.logIn(user.email) };
  }
  const isValid = async (value: string, host = 'ts') =>
    (await current().identity.recognise(value, host)).status === 200;
  const change = (id: string, body: object, login = current().admin) =>
    as(login, 'PATCH', `/company/users/${id}`, body);
  async function apiToken(login: Login): Promise<string> {
    return String((await as(login, 'POST', '/api-tokens', { name: 'ERP' })).body['token']);
  }

  return { as, invite, setPassword, member, isValid, change, apiToken };
}
