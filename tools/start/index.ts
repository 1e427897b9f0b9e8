export { portSpan } from './arguments.ts';
export { type ServiceEntry, sandboxPort, serviceTable } from './service-table.ts';
export { nodeEnvironment, programOf, serviceNodeArguments } from './services/node-settings.ts';
export { ServiceCommands } from './services/service-commands.ts';
export { serviceEnvironment } from './settings/environment.ts';
export { makeKeys } from './settings/keys.ts';
