export { type Authority, type Certificate, createAuthority, issueCertificate } from './certificates.ts';
export { findDocker, hasImage } from './docker.ts';
export type { InfraServer, Say } from './infra-server.ts';
export { emptyMongo, findMongo } from './mongo/mongo.ts';
export { dropDatabases } from './mongo/replica-set.ts';
export { findListener, freePort, freePortBase, isPortFree } from './ports.ts';
export { identify, isAlive, type ProcessIdentity } from './processes/process-identity.ts';
export {
  createProcesses,
  type Exit,
  type Processes,
  type RunningProcess,
} from './processes/processes.ts';
export { findProgram } from './processes/run.ts';
export { emptyRabbit, findRabbit, type RabbitOptions } from './rabbit/rabbit.ts';
export { quorumTickArguments } from './rabbit/rabbit-node.ts';
export { type Place, parseOptions, runVerbs, UsageError } from './verbs.ts';
export { images } from './versions.ts';
