import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { HeardStatuses, InvoiceOutcome, ReportedStatus, StatusDetails } from '@app/contracts';
import type { InvoiceFormat } from './formats.ts';
import type { ThirdPartyHttp } from './http/third-party-http.ts';
import type { InvoiceReader } from './reading/invoice-reader.ts';

/** An AP provider: how to call its API, verify its webhooks and read its invoices. */
export type Provider = {
  /** In paths, settings and events: `sandbox`, `pennylane`, `afnor`, `afnor-<name>`. */
  key: string;
  /** The name that people see. */
  name: string;
  capabilities: {
    /** What it passes on of where an invoice stands; `taken_in_charge`: at least which ticket it is on. */
    statuses: HeardStatuses;
    /** Takes also that a refusal holds no more. */
    reversal: boolean;
    /** Lists what changed. */
    poll: boolean;
    /** Posts to `/webhooks/invoice-providers/<key>`, itself or through a relay. */
    webhook: boolean;
    /** Takes clients of OAuth2 besides API keys. */
    oauth: boolean;
  };
  /** Opens no connection: a client is cheap. Its caches live as long as the client. */
  connect(options: ClientOptions): ProviderClient;
  /** `verifySignature` of signature.ts, which all providers share. `header` is that of `x-<key>-signature`. */
  verifySignature(raw: Buffer, header: string | undefined, secret: string, now: Date): boolean;
  /** If its client makes subscriptions: how the provider calls back. */
  callback?: CallbackForm;
  /** The format of what `fetchInvoice` returns, for an `InvoiceReader`. */
  format: InvoiceFormat;
};

export type CallbackForm = {
  /**
   * When the provider signed the raw body with the key of the subscription, by its clock; null if it did not, or not within 300 s of
   * `now`. Compares in constant time. An empty key never verifies.
   */
  signedAt(raw: Buffer, headers: IncomingHttpHeaders, signingKey: string, now: Date): Date | null;
  /** What the body says that changed. */
  read(body: unknown): ListedChange[];
};

/** `isFromTenant`: a company gave the address of the token endpoint, so it must be public. */
export type OAuthClient = { clientId: string; clientSecret: string; tokenUrl: string; isFromTenant: boolean };

export type Credentials = { apiKey: string } | OAuthClient;

/**
 * `timeoutMs` bounds each call up to the last byte, 10 s by default; a document has 6 times as long. `thirdParty` calls
 * addresses outside the API, by default public hosts over https alone. `headersOf` gives further headers of each request to the API.
 */
export type HttpOptions = {
  baseUrl: string;
  credentials: Credentials;
  timeoutMs?: number;
  thirdParty?: ThirdPartyHttp;
  headersOf?: () => Record<string, string>;
};

/**
 * `reader` reads an invoice again if its feedback must repeat fields of it; `owner` is the company of the invoices.
 * `organizationId`: whom of those that the credentials stand for the calls are about. `directoryUrl`: of the directory, if it is elsewhere
 * than the provider's own form of address says.
 */
export type ClientOptions = Omit<HttpOptions, 'headersOf'> & {
  reader: InvoiceReader;
  owner: string;
  organizationId?: string | null;
  directoryUrl?: string | null;
};

/** The API of one provider for one connection. Methods reject with `ProviderError`, or the reason of an aborted `signal`. */
export type ProviderClient = {
  /** The current invoice; `not_found` if the provider does not have it. `raw` has at most 5 MB. */
  fetchInvoice(externalId: string, signal?: AbortSignal): Promise<FetchedInvoice>;
  /**
   * One page of what changed at or after `since`, oldest first; an invoice may come again, also on a later page.
   * @param cursor null for the first page, else the `cursor` of the page before with the same `since`
   */
  listChanged(since: Date, cursor: string | null, signal?: AbortSignal): Promise<ChangedPage>;
  /** Reports where an invoice stands. Safe to repeat: what was sent before is looked up, not sent again. */
  sendFeedback(feedback: Feedback, signal?: AbortSignal): Promise<FeedbackResult>;
  /** Absent if the provider's webhooks are set up by people. */
  subscriptions?: WebhookSubscriptions;
  /** Absent if the provider has none. */
  directory?: SupplierDirectory;
};

/** `given`: the address of scheme 0225 that the invoice gives. */
export type SupplierInDirectory = { siren: string; siret: string | null; given: string | null };

/** Knows where companies receive (scheme 0225). */
export type SupplierDirectory = {
  /**
   * Null if no address of the supplier is in use. Answers are known for a day.
   * @throws ProviderError `not_sendable`: transient or refused, and nothing that concerns the connection
   */
  addressOf(supplier: SupplierInDirectory, signal?: AbortSignal): Promise<string | null>;
};

/** The subscriptions that these credentials made at the provider. */
export type WebhookSubscriptions = {
  /** `callbackUrl`: null if the provider does not tell. */
  list(signal?: AbortSignal): Promise<{ id: string; callbackUrl: string | null }[]>;
  /** Subscribes to what `listChanged` lists. The signing key is told only here. */
  add(callbackUrl: string, signal?: AbortSignal): Promise<{ id: string; signingKey: string }>;
  /** Does nothing if there is no such subscription. */
  remove(id: string, signal?: AbortSignal): Promise<void>;
};

/**
 * Read `document` to its end at once, or destroy it: the links of providers expire. With `statuses` it is no invoice, but says these of
 * invoices.
 */
export type FetchedInvoice = { raw: Buffer; document: ProviderDocument | null; statuses?: ReportedStatus[] };

/**
 * A file of at most 25 MB. The stream fails with `ProviderError`: `transient` if it broke, `refused` if it is longer. `type` is
 * what the provider declares, `name` a plain file name.
 */
export type ProviderDocument = { stream: Readable; type: string; name: string };

/**
 * All times are by the provider's clock. `cursor` is null on the last page. `watermark` is the time of the last change up to this
 * page, null if there was none: less an overlap, it is the next `since` once everything before it is processed. `answeredAt`
 * is when the provider gave the page.
 */
export type ChangedPage = {
  changes: ListedChange[];
  cursor: string | null;
  watermark: Date | null;
  answeredAt: Date | null;
};

/** `changedAt`: of the last change of this invoice; null if the list does not tell. */
export type ListedChange = { externalId: string; deleted: boolean; changedAt: Date | null };

/**
 * A status, or `reversed`: no longer linked or, without a ticket, no longer refused. `taken_in_charge`: linked to a ticket, which is no
 * approval for payment.
 */
export type Feedback = {
  externalId: string;
  outcome: InvoiceOutcome;
  /** Null unless the outcome is about a link. */
  ticket: ReportedLink['ticket'] | null;
  poRef: string | null;
  details: StatusDetails;
  /** When the status was set. */
  at: Date;
  /** Identifies the message among those about the invoice: feedback with another key is another message. */
  key: string;
  /** Of an earlier `waiting` result; null: none is known. */
  reference: string | null;
  /** Earlier links of the invoice that the provider may know, and that this outcome replaces. */
  reportedBefore?: ReportedLink[];
};

/** `waiting`: it is sent, and the provider has not said yet whether it accepts it; `reference` is the provider's id of the message. */
export type FeedbackResult = { state: 'accepted' } | { state: 'waiting'; reference: string | null };

type ReportedLink = { ticket: { id: string; number: string }; poRef: string | null };
