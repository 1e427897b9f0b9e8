import { sampleInvoices, startSandboxProvider } from '@app/sandbox-provider';
import { sandbox } from '../sandbox/sandbox.ts';
import { apiKey, type Stage } from './stage.ts';

/** The sandbox itself, as it ships. */
export async function sandboxStage(): Promise<Stage> {
  const server = await startSandboxProvider({ port: 0 });
  const [sample] = sampleInvoices();
  if (!sample) throw new Error('the sandbox has no sample invoices');
  server.setAccount({ apiKey });
  server.put(apiKey, sample.invoice, sample.document);
  return {
    provider: sandbox,
    baseUrl: server.url,
    apiKey,
    known: sample.invoice.id,
    documentBytes: sample.document.bytes,
    add: (number) => server.put(apiKey, { ...sample.invoice, id: `added-${number}`, number: `N-${number}` }, null).id,
    remove: (id) => server.remove(apiKey, id),
    fail: server.fail,
    heal: server.heal,
    told: (id, outcome) =>
      server.feedback(apiKey).filter((one) => one.invoiceId === id && one.outcome === outcome && one.changed).length,
    write: '/feedback$',
    reverses: true,
    close: server.close,
  };
}
