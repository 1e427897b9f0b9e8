import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

const permission = 'api_webhooks';

export const routes: PageRoute[] = [
  {
    path: '/webhooks',
    permission,
    page: lazyPage(async () => (await import('./endpoints/endpoints-page.tsx')).EndpointsPage),
  },
  {
    path: '/webhooks/new',
    permission,
    page: lazyPage(async () => (await import('./endpoints/new-endpoint-page.tsx')).NewEndpointPage),
  },
  {
    path: '/webhooks/:id',
    permission,
    page: lazyPage(async () => (await import('./endpoints/endpoint-page.tsx')).EndpointPage),
  },
  {
    path: '/webhooks/:id/deliveries/:deliveryId',
    permission,
    page: lazyPage(async () => (await import('./deliveries/delivery-page.tsx')).DeliveryPage),
  },
];
