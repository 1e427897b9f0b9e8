export { type Account, addDemoData } from './companies/demo-data.ts';
export { type PlannedInvoice, planInvoices, reviewReasons } from './invoices/plan-invoices.ts';
export { type Outside, startOutside } from './outside/outside.ts';
export { startReceivers } from './outside/receivers.ts';
export { fillWeek, type WeekOptions } from './week/fill-week.ts';
export { planTickets, statuses, ticketCounts } from './week/week-plan.ts';
