export { eachOnce } from './each-once.ts';
export { eventually } from './eventually.ts';
export { eventFixture } from './fixture.ts';
export { type FlowService, flowOf, startFlowService } from './flow-service.ts';
export {
  brokenAttachment,
  costlyInvoice,
  crowdedObjectStream,
  embedding,
  emptyLines,
  hostileDocuments,
  ublWith,
} from './hostile-documents.ts';
export { testDatabase, testInfra, testLogger, testNamespace } from './infra.ts';
export { answer, type Behaviour, behaviours, type Received, type Receiver, startReceiver } from './receiver.ts';
export { TcpProxy } from './tcp-proxy.ts';
export { aCaller, signAs, signPrincipal, testKeys, verifyTestToken } from './tokens.ts';
