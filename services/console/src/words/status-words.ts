export { deliveryStatuses, endpointHealth, invoiceStates, ticketStatuses } from '@app/kernel/words';
