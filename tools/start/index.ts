export { type Arguments, parseArguments, portSpan } from './arguments.ts';
export { serviceEnvironment } from './environment.ts';
export { keyNames, makeKeys } from './keys.ts';
export { nodeEnvironment, programOf, serviceNodeArguments } from './node-settings.ts';
export { createOutput, type Output } from './output.ts';
export { runStack } from './run-stack.ts';
export { ServiceCommands } from './service-commands.ts';
export { type ServiceEntry, sandboxPort, serviceTable } from './service-table.ts';
export type { StackOptions } from './stack.ts';
