export { eachOnce } from './each-once.ts';
export { eventually } from './eventually.ts';
export { type Exported, exportedRows } from './exported-rows.ts';
export { type FakeFlowService, flowOf, startFakeFlowService } from './fake-flow-service.ts';
export { eventFixture } from './fixture.ts';
export {
  brokenAttachment,
  costlyInvoice,
  crowdedObjectStream,
  emptyLines,
  hostileDocuments,
  pdfEmbedding,
  ublWith,
} from './hostile-documents.ts';
export { testDatabase, testInfra, testLogger, testNamespace } from './infra.ts';
export { type MailServer, type Sent, startMailServer } from './mail-server.ts';
export { type Profiled, profiled } from './profiled.ts';
export {
  answer,
  type Behaviour,
  behaviours,
  type Received,
  type Receiver,
  startReceiver,
  trustedCertificate,
} from './receiver.ts';
export { type ServiceProcess, startServiceProcess } from './service-process.ts';
export { shiftClock } from './shifted-clock.ts';
export { TcpProxy } from './tcp-proxy.ts';
export { aCaller, signAs, signPrincipal, testKeys, verifyTestToken } from './tokens.ts';
export { type ReceivedSpan, startTraceCollector, type TraceCollector } from './trace-collector.ts';
export { unzip } from './unzip.ts';
