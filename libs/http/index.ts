export { bearerToken } from './bearer-token.ts';
export { addressBlock, forwardedAddress } from './client-address.ts';
export { createApp } from './create-app.ts';
export { docUrl } from './doc-url.ts';
export { errorHandler, sendError, statusOf } from './errors.ts';
export { type Precondition, sendVersion } from './etag.ts';
export { createFailureLog } from './failure-log.ts';
export { type HttpClient, httpClient, maxIdleMs } from './http-client.ts';
export { internalTokenSigner, internalTokenVerifier, type VerifyToken } from './internal-token.ts';
export { observe } from './metrics.ts';
export { answer, named } from './openapi/answer.ts';
export { withoutSample } from './openapi/example.ts';
export { jsonSchema, openJsonSchema } from './openapi/json-schema.ts';
export { openApi } from './openapi/openapi.ts';
export type { Webhook } from './openapi/webhook.ts';
export { listenOps, Readiness, type ReadyCheck } from './operations.ts';
export { createRateLimit, type LocalRateLimit, type Quota, quotaHeaders, type RateLimit } from './rate-limit.ts';
export { createReplicas, type Lookup, type Replicas } from './replicas.ts';
export {
  type Access,
  type Context,
  type Deprecated,
  type ErrorLine,
  type Host,
  type Respond,
  type Route,
  respond,
  responseSent,
  route,
} from './route.ts';
export { type Listening, listen } from './server.ts';
export { createSnapshotPusher, type SnapshotPusher } from './snapshot-pusher.ts';
export { bodyOptions, id, queryOptions, validate } from './validate.ts';
