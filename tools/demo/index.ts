// Why it is so: docs/decisions/a-week-of-work-for-the-demo-companies.md
export { signatureOf } from './approved-platform/flows/webhooks.ts';
export { type ApprovedPlatform, startApprovedPlatform } from './approved-platform/start-approved-platform.ts';
export { type Account, addDemoData } from './data/companies/demo-data.ts';
export { type ExternalSystems, startExternalSystems } from './data/external/external-systems.ts';
export { startReceivers } from './data/external/receivers.ts';
export { planInvoices, reasonsOfWeek } from './data/plan/plan-invoices.ts';
export { planTickets } from './data/plan/week-plan.ts';
export { fillWeek } from './data/week/fill-week.ts';
export { createFaults, type Fault } from './fake-server/faults.ts';
export { HttpError, type Reply, type Request, startHttpServer } from './fake-server/http-server.ts';
export { pdfOf } from './invoices/pdf.ts';
export { sampleInvoices } from './sandbox-provider/samples.ts';
export { type SandboxProvider, startSandboxProvider } from './sandbox-provider/start-sandbox-provider.ts';
