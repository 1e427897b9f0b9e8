export type { InvoiceFormat } from './formats.ts';
export type {
  Feedback,
  FeedbackResult,
  FetchedInvoice,
  ProviderClient,
  ProviderDocument,
} from './provider.ts';
export { ProviderError } from './provider-error.ts';
export { createInvoiceReader, type InvoiceReader } from './reading/invoice-reader.ts';
export { type ConfiguredProvider, type ProviderSettings, providerOf, providerSettings, providers } from './registry.ts';
