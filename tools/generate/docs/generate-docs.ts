import { hostDocuments } from './api/host-documents.ts';
import { requestsFile } from './api/requests-file.ts';
import { readCatalogue } from './catalogue.ts';
import { describeServices } from './describe-services.ts';
import { errorsPage } from './errors/errors-page.ts';
import { decisionsPage } from './pages/decisions-page.ts';
import { servicesPage } from './pages/services-page.ts';
import { settingsPage } from './pages/settings-page.ts';
import { ticketStatusPage } from './pages/ticket-status-page.ts';
import { webhooksPage } from './pages/webhooks-page.ts';

/**
 * Generates the pages without writing them, and without I/O beyond reading sources.
 * @param root the root of the repository @returns content by path from the root
 */
export async function generateDocs(root: string): Promise<Map<string, string>> {
  const catalogue = readCatalogue(root);
  const services = await describeServices(root);
  const hosts = await hostDocuments(root);
  return new Map([
    ['docs/ticket-status.md', ticketStatusPage()],
    ['docs/services.md', servicesPage(catalogue, services)],
    ['docs/errors.md', errorsPage(root, hosts)],
    ['docs/requests/ticket-api.http', requestsFile(hosts.ticket, 'http://127.0.0.1:4000')],
    ['docs/requests/ts-api.http', requestsFile(hosts.ts, 'http://127.0.0.1:4001')],
    ['docs/settings.md', settingsPage()],
    ['docs/webhooks.md', webhooksPage()],
    ['docs/decisions/README.md', decisionsPage(root)],
  ]);
}
