import { inLanguage, type Worded } from '@app/kernel/words';

/** What a supplier is told of where an invoice stands. */
const statuses = {
  taken_in_charge: { en: 'Taken in charge', fr: 'Prise en charge' },
  approved: { en: 'Approved', fr: 'Approuvée' },
  partly_approved: { en: 'Approved in part', fr: 'Approuvée partiellement' },
  disputed: { en: 'Disputed', fr: 'En litige' },
  suspended: { en: 'Suspended', fr: 'Suspendue' },
  refused: { en: 'Refused', fr: 'Refusée' },
  payment_sent: { en: 'Payment sent', fr: 'Paiement transmis' },
} satisfies Record<string, Worded>;

/** And why. */
const statusReasons = {
  other: { en: 'Another reason', fr: 'Autre motif' },
  order: { en: 'Wrong or missing order', fr: 'Commande erronée ou manquante' },
  siret: { en: 'Wrong or missing SIRET', fr: 'SIRET erroné ou manquant' },
  routing_code: { en: 'Wrong or missing routing code', fr: 'Code de routage erroné ou manquant' },
  contract_reference: { en: 'Missing contract reference', fr: 'Référence du contrat manquante' },
  reference: { en: 'Wrong reference', fr: 'Référence erronée' },
  unit_price: { en: 'Wrong unit price', fr: 'Prix unitaire erroné' },
  discount: { en: 'Wrong discount', fr: 'Remise erronée' },
  quantity: { en: 'Wrong quantity', fr: 'Quantité erronée' },
  item: { en: 'Wrong item', fr: 'Article erroné' },
  payment_terms: { en: 'Wrong payment terms', fr: 'Conditions de paiement erronées' },
  quality: { en: 'Work or goods of poor quality', fr: 'Qualité insuffisante' },
  delivery: { en: 'Not delivered in full', fr: 'Livraison incomplète' },
  bank_details: { en: 'Wrong bank details', fr: 'Coordonnées bancaires erronées' },
  vat_rate: { en: 'Wrong VAT rate', fr: 'Taux de TVA erroné' },
  total: { en: 'Wrong total', fr: 'Montant total erroné' },
  arithmetic: { en: 'It does not add up', fr: 'Erreur de calcul' },
  non_compliant: { en: 'It lacks what the law requires', fr: 'Mentions légales manquantes' },
  duplicate: { en: 'Received before', fr: 'Déjà reçue' },
  recipient_unknown: { en: 'Unknown recipient', fr: 'Destinataire inconnu' },
  recipient: { en: 'Wrong recipient', fr: 'Mauvais destinataire' },
  transaction_unknown: { en: 'Nothing was bought', fr: 'Transaction inconnue' },
  issuer_unknown: { en: 'Unknown supplier', fr: 'Fournisseur inconnu' },
  contract_ended: { en: 'The contract has ended', fr: 'Contrat terminé' },
  billed_twice: { en: 'Invoiced twice', fr: 'Facturée deux fois' },
  address: { en: 'Wrong address', fr: 'Adresse erronée' },
  document_missing: { en: 'A document is missing', fr: 'Un justificatif manque' },
} satisfies Record<string, Worded>;

export const supplierStatusWords = (language: 'en' | 'fr') => ({
  statuses: inLanguage(statuses, language),
  statusReasons: inLanguage(statusReasons, language),
});
