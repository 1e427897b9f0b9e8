export { createFaults, type Fault, type Faults } from './faults.ts';
export type { Account, ReceivedFeedback, SandboxInvoice, StoredDocument } from './ledger.ts';
export { type Sample, sampleInvoices } from './samples.ts';
export { Refusal, type Reply, type Request, type Served, serve } from './serve.ts';
export { type SandboxProvider, startSandboxProvider } from './start-sandbox-provider.ts';
