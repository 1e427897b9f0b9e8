import { type ServiceCommands, serviceTable } from '@app/start';

const withData = serviceTable.filter(({ database }) => database);

/** The names of the services that have a database. */
export const servicesWithData = withData.map(({ name }) => name);

/** Runs a command of the services' own programs, one after the other: what fails is the last thing that was said. @returns those that failed */
export async function runInServices(
  commands: ServiceCommands,
  services: readonly string[],
  argumentsOf: (service: string) => string[],
): Promise<string[]> {
  const failed: string[] = [];
  for (const service of withData.filter(({ name }) => services.includes(name)))
    if (!(await commands.run(service, argumentsOf(service.name)))) failed.push(service.name);
  return failed;
}
