import { asyncApi } from './asyncapi.ts';
import { readCatalogue } from './catalogue.ts';
import { describeServices } from './describe-services.ts';
import { servicesPage } from './services-page.ts';
import { ticketStatusPage } from './ticket-status-page.ts';
import { webhooksPage } from './webhooks-page.ts';

/**
 * The generated pages by their path from `root`, the root of the repository. Nothing is written, started or connected to:
 * the test that no page is out of date calls this too.
 */
export async function generateDocs(root: string): Promise<Map<string, string>> {
  const catalogue = readCatalogue(root);
  const services = await describeServices(root);
  return new Map([
    ['docs/ticket-status.md', ticketStatusPage()],
    ['docs/asyncapi.yaml', asyncApi(catalogue, services)],
    ['docs/services.md', servicesPage(catalogue, services)],
    ['docs/webhooks.md', webhooksPage(root, catalogue)],
  ]);
}
