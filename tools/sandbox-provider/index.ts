export { createFaults, type Fault } from './faults.ts';
export { HttpError, type Reply, type Request, startHttpServer } from './http-server.ts';
export { pdfOf } from './pdf.ts';
export { sampleInvoices } from './samples.ts';
export { type SandboxProvider, startSandboxProvider } from './start-sandbox-provider.ts';
