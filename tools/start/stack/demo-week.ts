import { join } from 'node:path';
import { type ExternalSystems, fillWeek, fillYear, startExternalSystems } from '@app/demo';
import { receiverPort } from '../service-table.ts';
import { externalAddress, gatewayAddresses, isProduction } from '../settings/environment.ts';
import type { Stack } from './stack.ts';

/**
 * The AP providers and the receivers of webhooks that the demo companies use, before the services look for them; null if there
 * is to be no week of work, or a port is taken, which is said.
 */
export async function startDemoExternalSystems(stack: Stack): Promise<ExternalSystems | null> {
  const { arguments: given, env, services, stackDir, output } = stack;
  const addressOf = (setting: string) => externalAddress(setting, services, { base: given.portBase, env });
  const providerSandbox = addressOf('PROVIDER_SANDBOX_URL');
  if (!(given.demo && given.demoWeek) || isProduction(env) || providerSandbox === null) return null;
  try {
    const authorityDir = join(stackDir, 'tls');
    const externalSystems = await startExternalSystems({
      providerSandbox,
      approvedPlatform: addressOf('PROVIDER_AFNOR_URL'),
      authorityDir,
      receiverPort: given.portBase + receiverPort,
    });
    stack.externalSystems = externalSystems;
    return externalSystems;
  } catch (error) {
    output.error(`No week of work is added to the demo companies: ${error instanceof Error ? error.message : error}`);
    return null;
  }
}

/** Fills the demo companies, with a year first if it is asked for, while the platform is used already. Ends with the stack. @returns whether there was much to add */
export async function fillDemoWeek(
  stack: Stack,
  externalSystems: ExternalSystems,
  { adminToken, mongodb }: { adminToken: string; mongodb: string },
): Promise<boolean> {
  const { output, stopping, env } = stack;
  const addresses = { ...gatewayAddresses(stack.arguments.portBase), adminToken };
  let said = false;
  const say = (text: string) => {
    said = true;
    output.log(text);
  };
  const options = { ...addresses, ...externalSystems, say, signal: stopping.signal };
  if (stack.arguments.demoYear) await fillYear({ ...options, mongodb, namespace: env['NAMESPACE'] ?? '' });
  const isThere = await fillWeek(options);
  return isThere && said;
}
