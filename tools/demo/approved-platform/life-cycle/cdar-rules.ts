/** The closed lists of the French life-cycle message (XP Z12-012): rules BR-FR-CDV-CL. */

type Status = {
  label: string;
  /** Who sets it: the buyer, the seller, or a platform. */
  by: 'BY' | 'SE' | 'WK';
  /** MDT-88, UNTDID 4405. */
  code: string | null;
};

export const statuses: Record<string, Status> = {
  '200': { label: 'Déposée', by: 'WK', code: '10' },
  '201': { label: 'Émise par la plateforme', by: 'WK', code: null },
  '202': { label: 'Reçue par la plateforme', by: 'WK', code: '43' },
  '203': { label: 'Mise à disposition', by: 'WK', code: '48' },
  '204': { label: 'Prise en charge', by: 'BY', code: '45' },
  '205': { label: 'Approuvée', by: 'BY', code: '1' },
  '206': { label: 'Approuvée partiellement', by: 'BY', code: '49' },
  '207': { label: 'En litige', by: 'BY', code: '46' },
  '208': { label: 'Suspendue', by: 'BY', code: '39' },
  '209': { label: 'Complétée', by: 'SE', code: '37' },
  '210': { label: 'Refusée', by: 'BY', code: '50' },
  '211': { label: 'Paiement transmis', by: 'BY', code: '47' },
  '212': { label: 'Encaissée', by: 'SE', code: '47' },
  '213': { label: 'Rejetée', by: 'WK', code: '8' },
  '220': { label: 'Annulée', by: 'SE', code: null },
};

const ofReferences = 'CMD_ERR SIRET_ERR CODE_ROUTAGE_ERR REF_CT_ABSENT REF_ERR';
const ofPartialApproval = `AUTRE ${ofReferences} PU_ERR REM_ERR QTE_ERR ART_ERR MODPAI_ERR QUALITE_ERR LIVR_INCOMP`;
const ofRefusal =
  'TX_TVA_ERR MONTANTTOTAL_ERR CALCUL_ERR NON_CONFORME DOUBLON DEST_ERR TRANSAC_INC EMMET_INC CONTRAT_TERM DOUBLE_FACT';

/** MDT-113, for the statuses that need one. */
export const reasons: Record<string, readonly string[]> = Object.fromEntries(
  Object.entries({
    '206': ofPartialApproval,
    '207': `${ofPartialApproval} ${ofRefusal} COORD_BANC_ERR DEST_INC ADR_ERR`,
    '208': `JUSTIF_ABS COORD_BANC_ERR ${ofReferences}`,
    '210': `${ofRefusal} CMD_ERR ADR_ERR REF_CT_ABSENT`,
    '213':
      'MONTANTTOTAL_ERR CALCUL_ERR DOUBLON DEST_INC ADR_ERR REJ_SEMAN REJ_UNI REJ_COH REJ_ADR REJ_CONT_B2G REJ_REF_PJ REJ_ASS_PJ',
  }).map(([status, list]) => [status, list.split(' ')]),
);

const list = (codes: string) => codes.split(' ');
/** BT-3, as rule BR-FR-04 has it. */
export const invoiceTypes = list('380 389 393 501 386 500 384 471 472 473 261 262 381 396 502 503');
export const roles = list('BY AB DL SE SR PE PR II IV');
export const platformRoles = list('WK DFH');
/** MDT-121. */
export const actions = list('NOA PIN NIN CNF CNP CNA OTH');
/** MDT-207. */
export const characteristics = list('MEN MPA RAP ESC RAB REM MAP MAPTTC MNA MNATTC CBB DIV DVA MAJ');
export const guideline = 'urn.cpro.gouv.fr:1p0:CDV:invoice';
/** MDT-97. */
export const referenceType = 'urn.cpro.gouv.fr:1p0:CDV:einvoicingF2';

export function isPayment(status: string | null): boolean {
  return status === '211' || status === '212';
}
