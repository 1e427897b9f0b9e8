export type { InvoiceFormat } from './formats.ts';
export type {
  ChangedPage,
  ClientOptions,
  Feedback,
  FetchedInvoice,
  ListedChange,
  Provider,
  ProviderClient,
  ProviderDocument,
} from './provider.ts';
export { ProviderError, type ProviderErrorKind } from './provider-error.ts';
export { createInvoiceReader, type InvoiceReader } from './reading/invoice-reader.ts';
export { type ConfiguredProvider, type ProviderSettings, providerOf, providerSettings, providers } from './registry.ts';
