import { sampleInvoices, startSandboxProvider } from '@app/demo';
import { sandbox } from '../../sandbox/sandbox.ts';
import { apiKey, type FakeProvider } from '../fake-provider.ts';

/** The real sandbox provider. */
export async function startSandbox(): Promise<FakeProvider> {
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
    feedbackCount: (id, outcome) =>
      server.feedback(apiKey).filter((one) => one.invoiceId === id && one.outcome === outcome && one.changed).length,
    writePattern: '/feedback$',
    canReverse: true,
    close: server.close,
  };
}
