import { statusRule } from '@app/contracts';
import { type ApprovedPlatform, startApprovedPlatform } from '@app/demo';
import { afnor } from '../../afnor/afnor.ts';
import { apiKey, type FakeProvider } from '../fake-provider.ts';
import { ublInvoice } from '../ubl-invoice.ts';

type Flow = NonNullable<Parameters<ApprovedPlatform['addInvoice']>[0]['flow']>;

type Received = ReturnType<ApprovedPlatform['received']>['flows'][number];

export type FakeAfnor = FakeProvider & {
  platform: ApprovedPlatform;
  addFlow(flow: Flow, document: Buffer): void;
  /** Life-cycle messages that arrived, oldest first. */
  sent(): (Pick<Received, 'flowId' | 'flowInfo' | 'verdict'> & { xml: string })[];
};

export const organization = 'a-buyer';

/** The approved platform of the demo, with a client that has a key. It acknowledges nothing by itself. */
export async function startFakeAfnor(): Promise<FakeAfnor> {
  const platform = await startApprovedPlatform({ port: 0 });
  platform.setClient({ clientId: organization, clientSecret: 'not used', apiKey });
  platform.set({ acknowledgeAfterMs: null });
  // What is added is there at once; nobody has subscribed.
  const addFlow = (flow: Flow, bytes: Buffer) =>
    void platform.addInvoice({ organization, flow, document: { syntax: 'UBL', bytes, name: 'invoice.xml' } });
  const sent = () =>
    platform.received().flows.map(({ flowId, flowInfo, file, verdict }) => ({
      flowId,
      flowInfo,
      xml: file.toString('utf8'),
      verdict,
    }));
  const known = ublInvoice();
  addFlow({ flowId: 'flow-1' }, known);
  return {
    provider: afnor,
    baseUrl: platform.flowService,
    apiKey,
    known: 'flow-1',
    documentBytes: known,
    add(number) {
      addFlow({ flowId: `flow-added-${number}` }, ublInvoice({ number: `N-${number}` }));
      return `flow-added-${number}`;
    },
    remove: null,
    fail: platform.fail,
    heal: platform.heal,
    // What the platform would refuse changes nothing.
    feedbackCount(_id, outcome) {
      if (outcome === 'reversed') return 0;
      const { code } = statusRule(outcome);
      const { flows } = platform.received();
      return flows.filter(({ subject, verdict }) => subject?.status === code && verdict.status === 'Ok').length;
    },
    writePattern: '^POST /flow-service/v1/flows$',
    canReverse: false,
    close: platform.close,
    platform,
    addFlow,
    sent,
  };
}
