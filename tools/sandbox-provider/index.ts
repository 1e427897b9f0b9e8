export { createFaults, type Fault, type Faults } from './faults.ts';
export { HttpError, type HttpServer, type Reply, type Request, startHttpServer } from './http-server.ts';
export type { Account, ReceivedFeedback, SandboxInvoice, StoredDocument } from './ledger.ts';
export { pdfOf } from './pdf.ts';
export { type Sample, sampleInvoices } from './samples.ts';
export { type SandboxProvider, startSandboxProvider } from './start-sandbox-provider.ts';
