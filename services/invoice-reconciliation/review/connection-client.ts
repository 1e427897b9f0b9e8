import { httpClient } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';

export type ConnectionClient = ReturnType<typeof createConnectionClient>;

/** Of scheme 0225. `failure`: why the directory could not be asked; both null: it has none. */
type Address = { address: string | null; failure: string | null };

const answered = Joi.object<Address, true>({
  address: Joi.string().max(200).allow(null).required(),
  failure: Joi.string().allow(null).required(),
}).unknown();

const timeoutMs = 5_000;

export function createConnectionClient({ baseUrl }: { baseUrl: string }) {
  const client = httpClient({ baseUrl, timeoutMs });
  return {
    /**
     * Has an invoice fetched again; resolves when the fetch is queued durably.
     * @throws AppError invalid `unknown_provider`, not_found `connection_not_found`, timeout `service_timeout`,
     * unavailable `service_unavailable`
     */
    async resync(wanted: { provider: string; externalId: string }, token: string): Promise<void> {
      const path = '/internal/invoice-resyncs';
      const { status } = await client.request({ method: 'post', path, token, body: wanted });
      if (status === 202) return;
      if (status === 400) throw new AppError('invalid', 'unknown_provider', 'there is no such provider');
      if (status === 404) {
        throw new AppError('not_found', 'connection_not_found', 'there is no active connection to this provider');
      }
      throw unusable(status);
    },
    /** @throws AppError timeout `service_timeout`, unavailable `service_unavailable` */
    async supplierAddress(
      wanted: { provider: string; siren: string; siret: string | null },
      token: string,
    ): Promise<Address> {
      const path = '/internal/supplier-addresses';
      const { status, body } = await client.request({ method: 'post', path, token, body: wanted });
      const { value, error } = answered.validate(body, { convert: false });
      if (status !== 200 || error) throw unusable(status);
      return value;
    },
  };
}

function unusable(status: number): AppError {
  return new AppError('unavailable', 'service_unavailable', 'the connection service gave no usable answer', {
    cause: new Error(`it answered ${status}`),
  });
}
