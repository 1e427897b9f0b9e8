export { auditOrigin, auditSource } from './callers/audit-source.ts';
export { addressBlock, forwardedAddress } from './callers/client-address.ts';
export { bearerToken, internalTokenSigner, internalTokenVerifier, type VerifyToken } from './callers/internal-token.ts';
export { type PlacesBelow, withPlacesBelow } from './callers/places.ts';
export {
  createRateLimit,
  type Quota,
  quotaHeaders,
  type RateLimit,
} from './callers/rate-limit.ts';
export { type HttpClient, httpClient, maxIdleMs } from './client/http-client.ts';
export { createReplicas, type Lookup, type Replicas } from './client/replicas.ts';
export { createSnapshotPusher } from './client/snapshot-pusher.ts';
export { createApp } from './create-app.ts';
export { docUrl, docUrlFor } from './errors/doc-url.ts';
export { statusOf } from './errors/errors.ts';
export { createFailureLog } from './errors/failure-log.ts';
export { answer, freeText, named, nullableString } from './openapi/answer.ts';
export { documentedAs, namedEnum } from './openapi/documented-as.ts';
export { jsonSchema, openJsonSchema } from './openapi/json-schema.ts';
export { openApi } from './openapi/openapi.ts';
export { requestName, responseName } from './openapi/recorded-example.ts';
export type { Webhook } from './openapi/webhook.ts';
export { listenOps, Readiness, type ReadyCheck } from './operations.ts';
export { type Precondition, sendVersion } from './routing/etag.ts';
export { day, isoDate, moment, timestamp, timeZone } from './routing/moment.ts';
export {
  type Access,
  type Context,
  type ErrorLine,
  type Route,
  respond,
  responseSent,
  route,
} from './routing/route.ts';
export { bodyOptions, byId, id, validate } from './routing/validate.ts';
export { closeServer, type Listening, listen } from './server.ts';
