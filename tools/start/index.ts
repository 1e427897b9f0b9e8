export { type Arguments, parseArguments, portSpan } from './arguments.ts';
export { createOutput, type Output } from './output.ts';
export { type ServiceEntry, sandboxPort, serviceTable } from './service-table.ts';
export { nodeEnvironment, programOf, serviceNodeArguments } from './services/node-settings.ts';
export { ServiceCommands } from './services/service-commands.ts';
export { serviceEnvironment } from './settings/environment.ts';
export { keyNames, makeKeys } from './settings/keys.ts';
export { runStack } from './stack/run-stack.ts';
export type { StackOptions } from './stack/stack.ts';
