/** The values of the standard, XP Z12-013 1.3.0, that the fake checks. */
export const syntaxes = ['CII', 'UBL', 'Factur-X', 'CDAR', 'FRR'];
export const profiles = ['Basic', 'CIUS', 'Extended-CTC-FR', 'Undefined'];
export const directions = ['In', 'Out'];
export const ackStatuses = ['Pending', 'Ok', 'Error'];
export const docTypes = ['Original', 'Converted', 'ReadableView'] as const;
export const processingRules = [
  'B2B',
  'B2BInt',
  'B2C',
  'B2G',
  'B2GInt',
  'OutOfScope',
  'B2GOutOfScope',
  'ArchiveOnly',
  'NotApplicable',
  'Undefined',
];
export const flowTypes = [
  'CustomerInvoice',
  'SupplierInvoice',
  'CustomerInvoiceLC',
  'SupplierInvoiceLC',
  'StateCustomerInvoice',
  'StateSupplierInvoice',
  'StateCustomerInvoiceLC',
  'StateSupplierInvoiceLC',
  'StateTransactionReport',
  'StatePaymentReport',
  'StateTransactionReportLC',
  'StatePaymentReportLC',
  'AggregatedCustomerTransactionReport',
  'UnitaryCustomerTransactionReport',
  'AggregatedCustomerPaymentReport',
  'UnitaryCustomerPaymentReport',
  'UnitarySupplierTransactionReport',
  'MultiFlowReport',
  'Undefined',
];

export type DocType = (typeof docTypes)[number];
export type Detail = { level: 'Error' | 'Warning'; item: string; reasonCode: string; reasonMessage: string };
export type Acknowledgement = { status: 'Pending' | 'Ok' | 'Error'; details?: Detail[] };

/** A flow as the flow service describes it. Times are ISO 8601 in UTC. */
export type Flow = {
  flowId: string;
  trackingId?: string;
  name: string;
  flowSyntax: string;
  flowProfile: string;
  processingRule: string;
  processingRuleSource: 'Input' | 'Computed';
  flowType: string;
  flowDirection: 'In' | 'Out';
  submittedAt: string;
  updatedAt: string;
  acknowledgement: Acknowledgement;
};

export type FlowFile = { name: string; bytes: Buffer };

/** What life-cycle messages must repeat of an invoice: BT-1, BT-2 (ISO), BT-3, and the SIRENs BT-30 and BT-47. */
export type InvoiceFacts = {
  number: string;
  issueDate: string;
  typeCode: string;
  seller: string | null;
  buyer: string | null;
};

export type StoredFlow = {
  organization: string;
  /** As it is once it has left Pending. */
  flow: Flow;
  documents: Partial<Record<DocType, FlowFile>>;
  /** Null if it is no invoice, or one that the fake can't read. */
  facts: InvoiceFacts | null;
};

/** The flow as it is told: as long as it is Pending, the platform does not know what it is. */
export function toldOf({ flow }: StoredFlow): Flow {
  if (flow.acknowledgement.status !== 'Pending') return flow;
  const computed = flow.processingRuleSource === 'Computed' ? { processingRule: 'Undefined' } : {};
  return { ...flow, flowType: 'Undefined', flowProfile: 'Undefined', ...computed };
}
