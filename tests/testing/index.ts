export { exportedRows } from './data/exported-rows.ts';
export { eventFixture } from './data/fixture.ts';
export {
  brokenAttachment,
  costlyInvoice,
  crowdedObjectStream,
  emptyLines,
  hostileDocuments,
  pdfEmbedding,
  ublWith,
} from './data/hostile-documents.ts';
export { rowsOfCsv, rowsOfXlsx } from './data/sheet.ts';
export { unzip } from './data/unzip.ts';
export { ensureIndexes } from './ensure-indexes.ts';
export { ampleMs, eventually } from './eventually.ts';
export { testDatabase, testInfra, testLogger, testNamespace } from './infra.ts';
export { type Profiled, profiled } from './profiled.ts';
export { eachOnce, recordEvents, testBroker } from './record-events.ts';
export { closeNow } from './servers/close-now.ts';
export { type ImapServer, startImapServer } from './servers/imap-server.ts';
export { type MailServer, type Sent, startMailServer } from './servers/mail-server.ts';
export { type MongoSet, startMongoSet } from './servers/mongo-set.ts';
export { type RabbitCluster, startRabbitCluster } from './servers/rabbit-cluster.ts';
export { controlRabbit } from './servers/rabbit-control.ts';
export {
  answer,
  type Behaviour,
  behaviours,
  type Received,
  type Receiver,
  startReceiver,
  trustedCertificate,
} from './servers/receiver.ts';
export { TcpProxy } from './servers/tcp-proxy.ts';
export { type ReceivedSpan, startTraceCollector, type TraceCollector } from './servers/trace-collector.ts';
export { type ServiceProcess, startServiceProcess } from './service-process.ts';
export { shiftClock } from './shifted-clock.ts';
export { aCaller, signAs, signPrincipal, testKeys, verifyTestToken } from './tokens.ts';
