export type { InvoiceFormat } from './formats.ts';
export type {
  Credentials,
  Feedback,
  FeedbackResult,
  FetchedInvoice,
  ProviderClient,
  ProviderDocument,
  SupplierDirectory,
  WebhookSubscriptions,
} from './provider.ts';
export { isAbsent, ProviderError } from './provider-error.ts';
export { createInvoiceReader, type InvoiceReader } from './reading/invoice-reader.ts';
export { type ConfiguredProvider, type ProviderSettings, providerOf, providerSettings, providers } from './registry.ts';
