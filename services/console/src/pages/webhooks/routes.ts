import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

const permission = 'api_webhooks';

export const routes: PageRoute[] = [
  { path: '/webhooks', permission, page: lazyPage(async () => (await import('./endpoints-page.tsx')).EndpointsPage) },
  {
    path: '/webhooks/new',
    permission,
    page: lazyPage(async () => (await import('./new-endpoint-page.tsx')).NewEndpointPage),
  },
  { path: '/webhooks/:id', permission, page: lazyPage(async () => (await import('./endpoint-page.tsx')).EndpointPage) },
  {
    path: '/webhooks/:id/deliveries/:deliveryId',
    permission,
    page: lazyPage(async () => (await import('./delivery-page.tsx')).DeliveryPage),
  },
];
