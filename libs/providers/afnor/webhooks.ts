import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderHttp } from '../http/http-client.ts';
import { identifier, list, record, text } from '../parsing/json.ts';
import type { CallbackForm, WebhookSubscriptions } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { isFresh } from '../signature.ts';
import { changeOf, wanted } from './changes.ts';

/** The subscriptions of the owner of the token. */
export function webhookSubscriptions(http: ProviderHttp): WebhookSubscriptions {
  return {
    async list(signal) {
      const answer = record(await http.json({ path: ['webhooks'], signal }));
      // The standard requires `webhookIds` and describes `webhooks`.
      const listed = list(answer['webhooks'] ?? answer['webhookIds']);
      return listed.flatMap((one) => {
        const id = identifier(typeof one === 'string' ? one : record(one)['webhookId']);
        return id === null ? [] : [{ id, callbackUrl: text(record(one)['callbackUrl']) }];
      });
    },
    async add(callbackUrl, signal) {
      const body = { callbackUrl, flowTypes: wanted.flowType, flowDirection: wanted.flowDirection[0] };
      const answer = record(await http.json({ method: 'post', path: ['webhooks'], body, signal }));
      const [id, signingKey] = [identifier(answer['webhookId']), text(answer['signingKey'])];
      if (id === null || signingKey === null) {
        throw new ProviderError('refused', 'the provider made a subscription and gave no id or no signing key');
      }
      return { id, signingKey };
    },
    async remove(id, signal) {
      try {
        await http.bytes({ method: 'delete', path: ['webhooks', id], signal });
      } catch (error) {
        if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error;
      }
    },
  };
}

/**
 * A callback is one flow, signed by base64(HMAC-SHA256(key, SHA-256(body + "@" + time))). The standard does not say whether the digest is
 * taken as bytes or as hexadecimal text, nor whether the key, given in base64, is decoded: each reading needs the key, so any will do.
 */
export const callbackForm: CallbackForm = {
  signedAt(raw, headers, signingKey, now) {
    const [signature, time] = [single(headers, 'afnor-signature'), single(headers, 'afnor-signature-timestamp')];
    if (signature === null || time === null || signingKey === '' || !/^\d{1,12}$/.test(time)) return null;
    if (!isFresh(Number(time), now)) return null;
    const given = Buffer.from(signature, 'base64');
    const digest = createHash('sha256').update(raw).update(`@${time}`).digest();
    const keys = [Buffer.from(signingKey, 'base64'), Buffer.from(signingKey)];
    const fits = keys.flatMap((key) =>
      [digest, digest.toString('hex')].map((signed) =>
        isSame(given, createHmac('sha256', key).update(signed).digest()),
      ),
    );
    return fits.includes(true) ? new Date(Number(time) * 1000) : null;
  },
  read: (body) => changeOf(record(body)),
};

const maxHeaderLength = 200;

function single(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' && value.length <= maxHeaderLength ? value.trim() : null;
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
