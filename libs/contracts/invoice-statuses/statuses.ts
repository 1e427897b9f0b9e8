/**
 * Why an invoice is not taken as it is: our words, and the code of the French reform (XP Z12-012, MDT-113) for each.
 */
export const reasonCodes = {
  other: 'AUTRE',
  order: 'CMD_ERR',
  siret: 'SIRET_ERR',
  routing_code: 'CODE_ROUTAGE_ERR',
  contract_reference: 'REF_CT_ABSENT',
  reference: 'REF_ERR',
  unit_price: 'PU_ERR',
  discount: 'REM_ERR',
  quantity: 'QTE_ERR',
  item: 'ART_ERR',
  payment_terms: 'MODPAI_ERR',
  quality: 'QUALITE_ERR',
  delivery: 'LIVR_INCOMP',
  bank_details: 'COORD_BANC_ERR',
  vat_rate: 'TX_TVA_ERR',
  total: 'MONTANTTOTAL_ERR',
  arithmetic: 'CALCUL_ERR',
  non_compliant: 'NON_CONFORME',
  duplicate: 'DOUBLON',
  recipient_unknown: 'DEST_INC',
  recipient: 'DEST_ERR',
  transaction_unknown: 'TRANSAC_INC',
  issuer_unknown: 'EMMET_INC',
  contract_ended: 'CONTRAT_TERM',
  billed_twice: 'DOUBLE_FACT',
  address: 'ADR_ERR',
  document_missing: 'JUSTIF_ABS',
} as const;
export type StatusReason = keyof typeof reasonCodes;
export const statusReasons = Object.keys(reasonCodes) as StatusReason[];

/** What the supplier is asked to do, with its code (MDT-121). */
export const actionCodes = {
  none: 'NOA',
  information: 'PIN',
  new_invoice: 'NIN',
  full_credit: 'CNF',
  partial_credit: 'CNP',
  other: 'OTH',
} as const;
export type RequestedAction = keyof typeof actionCodes;

const forPart = [
  'other',
  'order',
  'siret',
  'routing_code',
  'contract_reference',
  'reference',
  'unit_price',
  'discount',
  'quantity',
  'item',
  'payment_terms',
  'quality',
  'delivery',
] as const;

const forDispute = [
  ...forPart,
  'bank_details',
  'vat_rate',
  'total',
  'arithmetic',
  'non_compliant',
  'duplicate',
  'recipient_unknown',
  'recipient',
  'transaction_unknown',
  'issuer_unknown',
  'contract_ended',
  'billed_twice',
  'address',
] as const;

const forSuspension = [
  'document_missing',
  'bank_details',
  'order',
  'siret',
  'routing_code',
  'contract_reference',
  'reference',
] as const;

/** Quality, prices and quantities are disputed, not refused. */
export const refusalReasons = [
  'vat_rate',
  'total',
  'arithmetic',
  'non_compliant',
  'duplicate',
  'recipient',
  'transaction_unknown',
  'issuer_unknown',
  'contract_ended',
  'billed_twice',
  'order',
  'address',
  'contract_reference',
] as const satisfies readonly StatusReason[];

/** `amount`: approved without VAT for a part, paid with VAT for a payment. */
export type StatusField = 'reason' | 'note' | 'amount' | 'date' | 'action';

/**
 * `code` is MDT-105, `processing` MDT-88 (UNTDID 1373), `label` MDT-106. A status does not come after one of a later `stage`. `needs`
 * and `takes` are fields that it must and may have. A `final` one is the last.
 */
type StatusRule = {
  code: string;
  processing: string;
  label: string;
  stage: 1 | 2 | 3;
  reasons: readonly StatusReason[];
  needs: readonly StatusField[];
  takes: readonly StatusField[];
  final?: true;
};

/** What a buyer tells the supplier of an invoice, by life-cycle messages of the French reform (XP Z12-012). */
const statusRules = {
  taken_in_charge: {
    code: '204',
    processing: '45',
    label: 'Prise en charge',
    stage: 1,
    reasons: [],
    needs: [],
    takes: [],
  },
  approved: {
    code: '205',
    processing: '1',
    label: 'Approuvée',
    stage: 2,
    reasons: [],
    needs: [],
    takes: ['note'],
  },
  partly_approved: {
    code: '206',
    processing: '49',
    label: 'Approuvée partiellement',
    stage: 2,
    reasons: forPart,
    needs: ['reason'],
    takes: ['note', 'amount', 'action'],
  },
  disputed: {
    code: '207',
    processing: '46',
    label: 'En litige',
    stage: 2,
    reasons: forDispute,
    needs: ['reason', 'note'],
    takes: ['action'],
  },
  suspended: {
    code: '208',
    processing: '39',
    label: 'Suspendue',
    stage: 2,
    reasons: forSuspension,
    needs: ['reason', 'note'],
    takes: [],
  },
  refused: {
    code: '210',
    processing: '50',
    label: 'Refusée',
    stage: 1,
    final: true,
    reasons: refusalReasons,
    needs: ['reason', 'note'],
    takes: [],
  },
  payment_sent: {
    code: '211',
    processing: '47',
    label: 'Paiement transmis',
    stage: 3,
    reasons: [],
    needs: ['amount', 'date'],
    takes: ['note'],
  },
} as const satisfies Record<string, StatusRule>;

export type InvoiceStatus = keyof typeof statusRules;
export const invoiceStatuses = Object.keys(statusRules) as InvoiceStatus[];
/** Those that a person or an ERP tells; `taken_in_charge` follows from a link. */
export const toldByPeople = invoiceStatuses.filter((status) => status !== 'taken_in_charge');

export function statusRule(status: InvoiceStatus): StatusRule {
  return statusRules[status];
}

/** What a status says besides itself; `amount` in the currency of the invoice, `date` as `YYYY-MM-DD`. */
export type StatusDetails = {
  reason: StatusReason | null;
  note: string | null;
  amount: number | null;
  date: string | null;
  action: RequestedAction | null;
};
export const noDetails: StatusDetails = { reason: null, note: null, amount: null, date: null, action: null };

/** What an invoice may lack, without which no life-cycle message about it is valid: BT-30, BT-47, BT-34, BT-3. */
export const lifeCycleLacks = ['supplier_siren', 'buyer_siren', 'supplier_address', 'type_code'] as const;

/**
 * Of an invoice that came through an approved platform: the platform's processing rule, what it lacks, and its supplier's electronic
 * address as `scheme:value`. One without an address lacks it only once the platform's directory has none either.
 */
export type LifeCycle = {
  rule: string | null;
  lacks: (typeof lifeCycleLacks)[number] | null;
  address: string | null;
};

/**
 * The statuses that a provider can pass on, with the reasons that it has a word for. `onlyAfter`: one that it takes as the end of
 * another alone.
 */
export type HeardStatuses = Partial<
  Record<InvoiceStatus, { reasons: readonly StatusReason[]; onlyAfter?: InvoiceStatus }>
>;

/** All statuses and reasons: what an approved platform passes on. */
export const allStatuses: HeardStatuses = statusRules;
