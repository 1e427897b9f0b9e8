import { ServiceCommands } from '@app/start';
import type { Place } from '@app/start/infra';
import { runInServices, servicesWithData } from '../run-in-services.ts';
import { parseArguments } from './arguments.ts';

export { usage } from './arguments.ts';

export async function run(args: string[], { root }: Place): Promise<number> {
  const { services, options } = parseArguments(args, servicesWithData);
  const failed = await runInServices(new ServiceCommands(root), services, () => ['restored', ...options]);
  if (failed.length > 0) console.error(`\nfailed: ${failed.join(', ')}. Run it again for them once the cause is gone.`);
  return failed.length > 0 ? 1 : 0;
}
