import type { en } from './texts.en.ts';

export const fr: typeof en = {
  title: 'Paramètres',
  intro:
    'Les listes que citent les tickets. Un élément supprimé n’est plus proposé\u202f; les tickets qui le citent l’affichent encore.',
  locations: 'Lieux',
  equipments: 'Équipements',
  jobs: 'Métiers',
  domains: 'Domaines',
  'custom-fields': 'Champs personnalisés',
  add: 'Ajouter',
  search: 'Chercher dans cette liste',
  empty: 'Rien pour le moment',
  reference: 'Référence',
  parent: 'Fait partie de',
  address: 'Adresse',
  route: 'Numéro et rue',
  postalCode: 'Code postal',
  city: 'Ville',
  country: 'Pays',
  nameFr: 'Nom en français',
  nameEn: 'Nom en anglais',
  target: 'Pour',
  both: 'Tickets et prestataires',
  ticket: 'Tickets',
  contractor: 'Prestataires',
  edit: (name) => `Modifier ${name}`,
  remove: (name) => `Supprimer ${name}`,
  removeTitle: (name) => `Supprimer «\u00a0${name}\u00a0»\u202f?`,
  removeHint: 'Il n’est plus proposé. Les tickets qui le citent l’affichent encore. Cette action est définitive.',
  added: (name) => `«\u00a0${name}\u00a0» ajouté`,
  saved: (name) => `«\u00a0${name}\u00a0» enregistré`,
  removed: (name) => `«\u00a0${name}\u00a0» supprimé`,
  import: 'Importer',
  importButtons: { locations: 'Importer…', equipments: 'Importer…', 'custom-fields': 'Importer des valeurs…' },
  importTitles: {
    locations: 'Importer des lieux',
    equipments: 'Importer des équipements',
    'custom-fields': 'Importer des valeurs de champs des prestataires',
  },
  importHints: {
    locations:
      'Un fichier CSV en UTF-8. Colonnes\u00a0: name, reference, parent, location_facturation, postalCode, country, city, route, streetNumber, fullAddress, zone, lat, lng, _id. Une colonne absente ne change rien\u202f; une cellule vide efface. Un lieu est retrouvé par sa référence, sinon par son nom.',
    equipments:
      'Un fichier CSV en UTF-8. Colonnes\u00a0: name, parent, _id. Une colonne absente ne change rien\u202f; une cellule vide efface. Un équipement est retrouvé par son nom et ce dont il fait partie.',
    'custom-fields':
      'Un fichier CSV en UTF-8. Colonnes\u00a0: siret ou name (nom) du prestataire, et chaque champ par son nom. Un champ sans colonne reste inchangé\u202f; une cellule vide retire la valeur.',
  },
  importRows: (count) => `Importer ${count} ${count < 2 ? 'ligne' : 'lignes'}`,
  imported: (created, changed) =>
    `Import terminé\u00a0: ${created} ${created < 2 ? 'ajout' : 'ajouts'}, ${changed} ${changed < 2 ? 'modification' : 'modifications'}`,
  chooseCsv: 'Choisir un fichier CSV',
  notUtf8: 'Ce fichier n’est pas en UTF-8. Dans Excel, enregistrez-le au format «\u00a0CSV UTF-8\u00a0».',
  theFile: 'Le fichier\u00a0:',
  importPreview: 'Ce que le fichier changerait',
  importNothing:
    'Rien ne peut être importé tant qu’une ligne est en erreur. Corrigez le fichier, puis choisissez-le de nouveau.',
  unread: (count) =>
    count < 2 ? `${count} autre ligne n’a pas été lue.` : `${count} autres lignes n’ont pas été lues.`,
  rowCounts: {
    faulty: (count) => `${count} en erreur`,
    created: (count) => `${count} à ajouter`,
    changed: (count) => `${count} à modifier`,
    unchanged: (count) => `${count} sans changement`,
  },
  verdicts: { faulty: 'Erreur', created: 'Ajout', changed: 'Modification', unchanged: 'Sans changement' },
  line: 'Ligne',
  rowName: 'Nom',
  verdict: 'Effet',
  cells: 'Cellules',
  nothing: 'rien',
  beforeAfter: (before, after) => `${before} → ${after}`,
};
