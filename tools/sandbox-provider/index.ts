export { createFaults, type Fault, type Faults } from './faults.ts';
export type { Account, ReceivedFeedback, SandboxInvoice } from './ledger.ts';
export { sampleInvoices } from './samples.ts';
export { type Served, serve } from './serve.ts';
export { type SandboxProvider, startSandboxProvider } from './start-sandbox-provider.ts';
