export type { InvoiceFormat } from './formats.ts';
export { createInvoiceReader, type InvoiceReader } from './invoice-reader.ts';
export type {
  ChangedPage,
  ClientOptions,
  Feedback,
  FetchedInvoice,
  Provider,
  ProviderClient,
  ProviderDocument,
} from './provider.ts';
export { ProviderError, type ProviderErrorKind } from './provider-error.ts';
export { type KnownProvider, type ProviderSettings, providerOf, providerSettings, providers } from './registry.ts';
