import { documentSchema } from '@app/runtime';
import type { Connection } from 'mongoose';
import { hashOf } from '../random-secret.ts';
import type { FlowSecrets, SsoFlow } from './sso-flow.ts';

export type SsoFlowStore = ReturnType<typeof createSsoFlowStore>;

type FlowDocument = Omit<SsoFlow, 'id'> & { _id: string };

const flowSchema = documentSchema<FlowDocument>('sso_flows');
flowSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export function createSsoFlowStore({ connection }: { connection: Connection }) {
  const model = connection.model<FlowDocument>('SsoFlow', flowSchema);
  return {
    async add({ id, ...flow }: SsoFlow): Promise<void> {
      await model.create({ _id: id, ...flow });
    },
    /**
     * Removes and returns the flow, so that it is used only once. Null if there is none for this state, browser and
     * company any more.
     */
    async consume({ browser, state }: FlowSecrets, company_id: string, at: Date): Promise<SsoFlow | null> {
      const open = { _id: hashOf(state), browser: hashOf(browser), company_id, expires_at: { $gt: at } };
      const found = await model.findOneAndDelete(open).lean<FlowDocument>();
      if (!found) return null;
      const { _id: id, ...flow } = found;
      return { id, ...flow };
    },
  };
}
