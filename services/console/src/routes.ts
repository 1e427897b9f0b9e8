import { lazyPage } from './routing/lazy-page.ts';

const accounting = { permission: 'accounting', company: 'client' } as const;
const tickets = { permission: 'tickets' } as const;
/** What only clients have: their places, their contractors. */
const clients = { permission: 'tickets', company: 'client' } as const;
const integration = { permission: 'api_webhooks' } as const;
const admin = { permission: 'admin' } as const;
const everyone = { permission: null } as const;
const platform = { permission: 'platform' } as const;

/** The pages of users of companies. The first match is shown, so more specific paths come first. */
export const ofCompanies = [
  lazyPage('/', everyone, async () => (await import('./pages/home/home-page.tsx')).HomePage),
  lazyPage('/invoices', accounting, async () => (await import('./pages/invoices/invoices-page.tsx')).InvoicesPage),
  lazyPage(
    '/invoices/tickets/:id',
    accounting,
    async () => (await import('./pages/tickets/read-only-ticket-page.tsx')).ReadOnlyTicketPage,
  ),
  lazyPage('/invoices/:id', accounting, async () => (await import('./pages/invoices/invoice-page.tsx')).InvoicePage),
  lazyPage('/accruals', accounting, async () => (await import('./pages/accruals/accruals-page.tsx')).AccrualsPage),
  lazyPage(
    '/webhooks',
    integration,
    async () => (await import('./pages/webhooks/endpoints/endpoints-page.tsx')).EndpointsPage,
  ),
  lazyPage(
    '/webhooks/new',
    integration,
    async () => (await import('./pages/webhooks/endpoints/new-endpoint-page.tsx')).NewEndpointPage,
  ),
  lazyPage(
    '/webhooks/:id',
    integration,
    async () => (await import('./pages/webhooks/endpoints/endpoint-page.tsx')).EndpointPage,
  ),
  lazyPage(
    '/webhooks/:id/deliveries/:deliveryId',
    integration,
    async () => (await import('./pages/webhooks/deliveries/delivery-page.tsx')).DeliveryPage,
  ),
  lazyPage('/tickets', tickets, async () => (await import('./pages/tickets/list/tickets-page.tsx')).TicketsPage),
  lazyPage('/tickets/new', tickets, async () => (await import('./pages/tickets/new-ticket-page.tsx')).NewTicketPage),
  lazyPage('/tickets/:id', tickets, async () => (await import('./pages/tickets/ticket-page.tsx')).TicketPage),
  lazyPage('/agenda', tickets, async () => (await import('./pages/agenda/agenda-page.tsx')).AgendaPage),
  lazyPage(
    '/connections',
    accounting,
    async () => (await import('./pages/connections/connections-page.tsx')).ConnectionsPage,
  ),
  lazyPage('/tokens', integration, async () => (await import('./pages/tokens/tokens-page.tsx')).TokensPage),
  lazyPage('/users', admin, async () => (await import('./pages/users/users-page.tsx')).UsersPage),
  lazyPage(
    '/users/single-sign-on',
    admin,
    async () => (await import('./pages/single-sign-on/single-sign-on-page.tsx')).SingleSignOnPage,
  ),
  lazyPage('/directory', clients, async () => (await import('./pages/directory/directory-page.tsx')).DirectoryPage),
  lazyPage(
    '/settings/locations/:id',
    clients,
    async () => (await import('./pages/settings/entry-page/entry-page.tsx')).PlacePage,
  ),
  lazyPage(
    '/settings/equipments/:id',
    clients,
    async () => (await import('./pages/settings/entry-page/entry-page.tsx')).EquipmentPage,
  ),
  lazyPage(
    '/settings/deadlines',
    clients,
    async () => (await import('./pages/settings/deadlines/deadlines-page.tsx')).DeadlinesPage,
  ),
  lazyPage(
    '/settings/:referential?',
    clients,
    async () => (await import('./pages/settings/settings-page.tsx')).SettingsPage,
  ),
  lazyPage(
    '/notifications',
    everyone,
    async () => (await import('./pages/notifications/notifications-page.tsx')).NotificationsPage,
  ),
  lazyPage('/account', everyone, async () => (await import('./pages/account/account-page.tsx')).AccountPage),
  lazyPage('/audit', admin, async () => (await import('./pages/audit/audit-page.tsx')).AuditPage),
];

/** The pages of the operator of the platform. */
export const ofPlatform = [
  lazyPage(
    '/platform/companies',
    platform,
    async () => (await import('./pages/platform/companies-page.tsx')).CompaniesPage,
  ),
  lazyPage(
    '/platform/users',
    platform,
    async () => (await import('./pages/platform/platform-users-page.tsx')).PlatformUsersPage,
  ),
  lazyPage('/platform/exports', platform, async () => (await import('./pages/platform/exports-page.tsx')).ExportsPage),
];
