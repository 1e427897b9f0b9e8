import type { Readable } from 'node:stream';
import type { InvoiceOutcome } from '@app/contracts';
import type { InvoiceFormat } from './formats.ts';
import type { InvoiceReader } from './invoice-reader.ts';
import type { ThirdPartyHttp } from './third-party-http.ts';

/** An AP provider: how its API is called, how its webhooks are verified, what its invoices mean (domain.md 2.6). */
export type Provider = {
  /** In paths, settings and events: `sandbox`, `pennylane`, `afnor`, `afnor-<name>`. */
  key: string;
  capabilities: {
    /** It can be told what became of an invoice. */
    feedback: boolean;
    /** It lists what changed. */
    poll: boolean;
    /** It, or a relay in front of it, posts to `/webhooks/invoice-providers/<key>`. */
    webhook: boolean;
  };
  /** Opens nothing: a client is cheap and may be made for each job. What it caches lives as long as the client. */
  connect(options: ClientOptions): ProviderClient;
  /** See `verifySignature` of signature.ts, which all providers share. `header` is that of `x-<key>-signature`. */
  verifySignature(raw: Buffer, header: string | undefined, secret: string, now: Date): boolean;
  /** How what `fetchInvoice` gave becomes the canonical invoice: read by an `InvoiceReader`, never on the event loop. */
  format: InvoiceFormat;
};

/**
 * `timeoutMs` bounds each call from the connection to the last byte, 10 s by default; a document has 6 times as much.
 * `elsewhere`: how an address is called that the provider names outside its API; by default public ones alone, over https.
 */
export type HttpOptions = { baseUrl: string; apiKey: string; timeoutMs?: number; thirdParty?: ThirdPartyHttp };

/** `reader` reads the documents that are to be answered; `owner` is whose they are. */
export type ClientOptions = HttpOptions & { reader: InvoiceReader; owner: string };

/**
 * The API of one provider on behalf of one connection. Every method rejects with `ProviderError` alone, but for an
 * aborted `signal`: then with its reason.
 */
export type ProviderClient = {
  /** The invoice as the provider has it now; `not_found` where it has it no more. `raw` has at most 5 MB. */
  fetchInvoice(externalId: string, signal?: AbortSignal): Promise<FetchedInvoice>;
  /**
   * One page of what changed at or after `since`, oldest first; an invoice may come again, also on a later page.
   * @param cursor null for the first page, else the `cursor` of the page before with the same `since`
   */
  listChanged(since: Date, cursor: string | null, signal?: AbortSignal): Promise<ChangedPage>;
  /**
   * Tells the provider what became of an invoice; safe to repeat: where the provider has that status already, it is done.
   * Does nothing where the provider has no feedback.
   */
  sendFeedback(feedback: Feedback, signal?: AbortSignal): Promise<void>;
};

/** `document` is read once, at once (links of providers expire), to its end or destroyed. */
export type FetchedInvoice = { raw: Buffer; document: ProviderDocument | null };

/**
 * A file of at most 25 MB, streamed; the stream fails with `ProviderError` (`transient` where it was cut, `refused` where it
 * is longer). `type` is what the provider says it is, `name` a plain file name.
 */
export type ProviderDocument = { stream: Readable; type: string; name: string };

/**
 * `cursor` is null on the last page. `watermark` is the moment of the last change up to this page, null where none came:
 * the next `since`, less an overlap, once everything up to it was taken up.
 */
export type ChangedPage = {
  changes: { externalId: string; deleted: boolean }[];
  cursor: string | null;
  watermark: Date | null;
};

/** `taken_in_charge`: reconciled with a ticket, which is no approval for payment; `reversed`: it no longer is. */
export type Feedback = {
  externalId: string;
  outcome: InvoiceOutcome;
  /** Other links of the invoice that the provider may have been told of, of which this outcome takes the place. */
  reportedBefore?: ReportedLink[];
} & ReportedLink;

type ReportedLink = { ticket: { id: string; number: string }; poRef: string | null };
