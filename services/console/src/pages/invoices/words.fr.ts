import { inLanguage, reviewReasonWords } from '@app/kernel/words';
import { fieldWords, flagWords } from './flag-words.ts';
import type { SignalValues } from './rules/wording.ts';
import type { words as en } from './words.en.ts';

const kinds: Record<string, string> = {
  order: 'Commande',
  quote: 'Devis',
  number: 'Numéro de ticket',
  id: 'Identifiant de ticket',
  request: 'Demande d’achat',
  receipt: 'Bon de réception',
  contract: 'Contrat',
};
const kindOf = ({ kind }: SignalValues) => kinds[kind ?? ''] ?? 'Référence';
const as = ({ held, written }: SignalValues) =>
  written === undefined || written === held ? '' : `, écrit «\u00a0${written}\u00a0»`;
const several = (count: number) => (count > 1 ? `${count}\u00a0factures` : '1\u00a0facture');
const points = (score: number) => `${score}\u00a0points`;
const steps: Record<string, string> = {
  normalize: 'La lecture',
  supplier: 'La recherche du fournisseur',
  ticket: 'La recherche du ticket',
  feedback: 'Le retour à la plateforme de facturation',
};

export const words: typeof en = {
  signals: {
    reference: (values) => `${kindOf(values)} ${values.held ?? ''} concorde${as(values)}`,
    reference_shared: (values) => `${kindOf(values)} ${values.held ?? ''} concorde, mais plusieurs tickets l’ont`,
    reference_near: (values) =>
      `${kindOf(values)} ${values.held ?? ''} concorde presque avec «\u00a0${values.written ?? ''}\u00a0»`,
    reference_learned: (values) =>
      `${kindOf(values)} ${values.held ?? ''}, comme ce fournisseur l’écrit\u00a0: «\u00a0${values.written ?? ''}\u00a0»`,
    second_reference: (values) => `${kindOf(values)} ${values.held ?? ''} concorde aussi`,
    supplier: ({ name }) => `${name ?? 'Le fournisseur'} est le prestataire du ticket`,
    likely_supplier: () => 'Le prestataire a le nom ou le numéro de TVA du fournisseur',
    amount: ({ level, fitsWithVat }, { invoiced, compared }) => {
      const sentence = {
        equal: `Le montant est le même\u00a0: ${compared}`,
        close: `Le montant ${invoiced} est dans la tolérance de ${compared}`,
        near: `Le montant ${invoiced} est à moins de 10\u00a0% de ${compared}`,
        part: `Le montant ${invoiced} peut être une partie de ${compared}`,
        above: `Le montant ${invoiced} dépasse ${compared} de plus de 10\u00a0%`,
      }[level ?? 'equal'];
      return fitsWithVat ? `${sentence}\u202f; il concorde si celui-ci est TTC` : sentence;
    },
    only_amount: () => 'Aucun autre ticket du fournisseur n’a ce montant',
    already_invoiced: ({ count = 0 }, { invoiced, basis }) =>
      `Déjà facturé\u00a0: ${invoiced} ${basis} sur ${several(count)}`,
    issued_after_intervention: ({ days = 0 }, { date }) =>
      days === 0
        ? `Émise le jour de l’intervention, ${date}`
        : `Émise ${days}\u00a0jour${days > 1 ? 's' : ''} après l’intervention du ${date}`,
    issued_before_ticket: () => 'Émise avant la création du ticket',
    ticket_status: (_, { status }) => `Le ticket est au statut «\u00a0${status}\u00a0»`,
    place: ({ name }) => `La facture cite le lieu\u00a0: ${name ?? ''}`,
    other_place: ({ name, held }) =>
      `La facture cite un autre lieu\u00a0: ${name ?? ''}. Le ticket est à ${held ?? ''}`,
    goods_receipt: ({ held }) => `Le bon de réception ${held ?? ''} existe`,
    preceding_invoice: ({ relation }) =>
      relation === 'credits' ? 'C’est un avoir sur une facture de ce ticket' : 'Elle remplace une facture de ce ticket',
  },
  mark: { for: 'Pour', doubt: 'Incertain', against: 'Contre' },
  reasons: {
    duplicate_suspected: () => 'Doublon possible',
    amounts_inconsistent: () => 'Les montants ne concordent pas',
    iban_changed: () => 'Un autre IBAN que ceux connus, ou aucun lisible',
    provider_status: () =>
      'Refusée, annulée ou supprimée sur votre plateforme de facturation. Ne la liez que si vous devez la payer malgré tout.',
    changed_after_link: () => 'Modifiée après avoir été liée',
    document_hash_mismatch: () =>
      'Le document n’est pas celui qui était annoncé. Resynchronisez-la, ou interrogez votre plateforme de facturation.',
    supplier_is_client: () => 'Elle cite votre propre entreprise comme fournisseur. Demandez qui l’a envoyée.',
    credits_refused: () => 'Elle est l’avoir d’une facture refusée\u00a0: rien n’est à créditer.',
    several_parties: () =>
      'Elle regroupe plusieurs fournisseurs, ou facture dans les deux sens. Demandez au fournisseur une facture à lui seul, ou liez-la si vous la payez en entier ici.',
    ticket_gone: () => 'Son ticket a été annulé ou supprimé. Dissociez-la, ou liez-la à un autre.',
    no_ticket: () => 'Aucun ticket ne correspond suffisamment',
    tickets_suggested: ({ count = 0, score = 0 }) =>
      count === 1
        ? `1\u00a0ticket suggéré, ${points(score)}`
        : `${count}\u00a0tickets suggérés, le meilleur à ${points(score)}`,
    ticket_found: ({ score = 0 }) => `Ticket trouvé, ${points(score)}`,
    supplier_unknown: () => 'Aucun prestataire n’a ce SIREN',
    several_suppliers: () => 'Plusieurs prestataires ont ce SIREN',
    linked: ({ ticket = '', text }) => `Liée à ${ticket}${text === undefined ? '' : `\u00a0: «\u00a0${text}\u00a0»`}`,
    unlinked: () => 'Dissociée',
    link_undone: () => 'Lien annulé',
    review_cleared: () => 'Marquée comme vérifiée',
    concluded: ({ outcome, text = '' }) =>
      `${{ no_ticket: 'Sans ticket', duplicate_of: 'Doublon', refused: 'Refusée' }[outcome ?? 'no_ticket']}\u00a0: ${text}`,
    reopened: () => 'Rouverte',
    resynced: () => 'Resynchronisation demandée',
    content_replaced: () => 'Le contenu a changé sur la plateforme de facturation',
    content_unreadable: () => 'Le nouveau contenu est illisible',
    unreadable: ({ text = '' }) => `Illisible\u00a0: ${text}`,
    step_failed: ({ step = '' }) => `${steps[step] ?? step} a échoué`,
    retried: ({ attempt = 0 }) => `Essai ${attempt}`,
    deleted_at_provider: () => 'La plateforme de facturation ne l’a plus',
    feedback_refused: ({ text = '' }) => `Le retour n’a pas été pris en compte. ${text}`,
    feedback_confirmed: () => 'Confirmée par la plateforme de facturation',
    other: ({ text = '' }) => text,
  },
  short: inLanguage(reviewReasonWords, 'fr'),
  flags: inLanguage<string>(flagWords, 'fr'),
  flagHints: {
    supplier_is_client: 'Demandez qui l’a envoyée avant de la lier.',
    currency_differs: 'Ses montants ne sont pas comparés à ceux des tickets.',
    already_invoiced: 'D’autres factures du ticket couvrent la commande, ou la couvrent peut-être.',
    over_tolerance: 'Elle dépasse ce qui a été commandé ou chiffré.',
    mixed_vat: 'Les montants du ticket sont les uns HT, les autres TTC\u00a0: ils ne sont pas additionnés.',
    other_place: 'La première suggestion est à un autre lieu que celui de la facture.',
    several_tickets: 'Choisissez le ticket auquel elle appartient.',
    other_reference: 'Sa référence est d’une autre commande que celle du ticket.',
    supplier_ambiguous: 'Le ticket choisi décide du prestataire.',
    credit_note: 'Liez-le au ticket de la facture qu’il annule.',
    replaced: 'Une facture rectificative la remplace.',
    iban_invalid: 'Un de ses comptes ne se lit pas comme un IBAN, ou sa clé de contrôle est fausse.',
  },
  fields: inLanguage<string>(fieldWords, 'fr'),
  relations: {
    duplicate: 'Ressemble à',
    same_number: 'Porte le même numéro',
    replaces: 'Elle remplace',
    replaced_by: 'Remplacée par',
    credits: 'Avoir sur',
  },
  steps,
};
