// Why it is so: docs/decisions/a-week-of-work-for-the-demo-companies.md
export { type Account, addDemoData } from './companies/demo-data.ts';
export { type ExternalSystems, startExternalSystems } from './external/external-systems.ts';
export { startReceivers } from './external/receivers.ts';
export { planInvoices, reasonsOfWeek } from './plan/plan-invoices.ts';
export { planTickets } from './plan/week-plan.ts';
export { fillWeek } from './week/fill-week.ts';
