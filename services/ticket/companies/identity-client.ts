import { type CompanySnapshot, companySchema, type UserSnapshot, userSchema } from '@app/contracts';
import { type HttpClient, httpClient } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';

/** Calls to the identity service, on behalf of the caller whose internal token is given. */
export type IdentityClient = ReturnType<typeof createIdentityClient>;

const defaultTimeoutMs = 3_000;

type Options = { baseUrl: string; timeoutMs?: number | undefined };

const usersReply = Joi.object<{ items: UserSnapshot[] }>({ items: Joi.array().items(userSchema).required() });

export function createIdentityClient({ baseUrl, timeoutMs = defaultTimeoutMs }: Options) {
  const client = httpClient({ baseUrl, timeoutMs });
  const company = async (path: string, token: string) => {
    const found = await ask(client, path, token);
    return found === null ? null : read(companySchema, found);
  };
  return {
    /** @throws AppError timeout `service_timeout`, unavailable `service_unavailable` */
    company: (id: string, token: string): Promise<CompanySnapshot | null> =>
      company(`/internal/companies/${id}`, token),
    /** The same, on behalf of the platform's administrator. */
    companyForPlatform: (id: string, token: string): Promise<CompanySnapshot | null> =>
      company(`/internal/platform/companies/${id}`, token),
    /** The users of that company among `ids`. */
    async users(companyId: string, ids: string[], token: string): Promise<UserSnapshot[]> {
      const found = await ask(client, `/internal/companies/${companyId}/users?ids=${ids.join(',')}`, token);
      return found === null ? [] : read(usersReply, found).items;
    },
  };
}

async function ask(client: HttpClient, path: string, token: string): Promise<unknown> {
  const { status, body } = await client.request({ method: 'get', path, token });
  if (status === 200) return body;
  if (status === 404) return null;
  throw unexpected(`it answered ${status}`);
}

function read<T>(schema: Joi.ObjectSchema<T>, body: unknown): T {
  const { value, error } = schema.validate(body, { allowUnknown: true, convert: false });
  if (error) throw unexpected(error.message);
  return value;
}

function unexpected(reason: string): AppError {
  return new AppError('unavailable', 'service_unavailable', 'the identity service gave no usable answer', {
    cause: new Error(reason),
  });
}
