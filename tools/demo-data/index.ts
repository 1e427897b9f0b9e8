export { type Account, addDemoData } from './companies/demo-data.ts';
export { type ExternalSystems, startExternalSystems } from './external/external-systems.ts';
export { startReceivers } from './external/receivers.ts';
export { type PlannedInvoice, planInvoices, reasonsOfWeek } from './plan/plan-invoices.ts';
export { planTickets, statuses, ticketCounts } from './plan/week-plan.ts';
export { fillWeek, type WeekOptions } from './week/fill-week.ts';
