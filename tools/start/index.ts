export { type Arguments, parseArguments } from './arguments.ts';
export { addDemoData } from './demo-data.ts';
export { nodeEnvironment, serviceNodeArguments } from './node-settings.ts';
export { createOutput, type Output } from './output.ts';
export { runStack } from './run-stack.ts';
export { type ServiceEntry, sandboxPort, serviceTable } from './service-table.ts';
export type { StackOptions } from './stack.ts';
