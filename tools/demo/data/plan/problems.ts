/** When a problem comes up. */
export type Season = 'winter' | 'summer' | null;

/** A problem that people report: what they write, what it costs without VAT (from, to), and what is delivered for it. */
export type Problem = { title: string; description: string; price: [number, number]; parts: string; season: Season };

type Trade = { equipment: string; job: string; problems: Problem[]; spots: string[] };

const problem = (
  title: string,
  description: string,
  price: Problem['price'],
  parts: string,
  season: Season = null,
): Problem => ({ title, description, price, parts, season });

/** In the order of `contractors` in `people.ts`. */
export const trades: Trade[] = [
  {
    equipment: 'Climatisation',
    job: 'Génie climatique',
    spots: ['rayon frais', 'réserve', 'boucherie', 'poissonnerie', 'laboratoire', 'quai frais'],
    problems: [
      problem('Chambre froide trop chaude', 'Elle affiche 9 °C au lieu de 3 °C.', [380, 1450], 'Ventilateur', 'summer'),
      problem('Climatisation qui goutte', 'L’eau coule le long du mur.', [180, 520], 'Pompe de relevage', 'summer'),
      problem('Climatisation à l’arrêt', 'Défaut E4, plus d’air du tout.', [420, 2900], 'Carte électronique', 'summer'),
      problem('Vitrine réfrigérée givrée', 'Une épaisse couche de glace.', [160, 640], 'Joint de porte', 'summer'),
      problem('Compresseur très bruyant', 'Il claque à chaque démarrage.', [700, 3200], 'Silentblocs', 'summer'),
      problem('Chauffage en panne', 'Seize degrés depuis lundi matin.', [240, 980], 'Thermostat', 'winter'),
      problem('Fuite de fluide frigorigène', 'L’alarme a sonné cette nuit.', [900, 2600], 'Fluide R449A', 'summer'),
    ],
  },
  {
    equipment: 'Ascenseur',
    job: 'Ascensoriste',
    spots: ['hall principal', 'galerie nord', 'parking -1', 'galerie sud', 'entrée ouest'],
    problems: [
      problem('Ascenseur à l’arrêt', 'Arrêté entre deux étages, sans personne.', [350, 2100], 'Contact de porte'),
      problem('Ascenseur bloqué en bas', 'Les portes battent sans cesse.', [290, 1250], 'Cellule de porte'),
      problem('Monte-charge à l’arrêt', 'Le bouton d’arrêt reste enclenché.', [260, 900], 'Bouton d’arrêt'),
      problem('Escalator qui s’arrête seul', 'Plusieurs fois par jour, sans raison.', [480, 3400], 'Peigne de palier'),
      problem('Éclairage de cabine défaillant', 'La cabine est dans le noir.', [90, 260], 'Réglette LED'),
      problem('Téléphone de secours muet', 'L’appel d’essai a sonné dans le vide.', [150, 430], 'Module GSM'),
    ],
  },
  {
    equipment: 'Sanitaires',
    job: 'Plomberie',
    spots: ['vestiaire du personnel', 'toilettes clients', 'cuisine', 'local technique', 'premier étage'],
    problems: [
      problem('Vanne qui fuit', 'Un seau se remplit en une heure.', [120, 460], 'Vanne à boisseau DN25'),
      problem('Fuite au plafond', 'Une auréole s’étend au-dessus de la caisse 4.', [260, 1350], 'Raccords multicouche'),
      problem('Chasse d’eau qui coule', 'L’eau coule sans arrêt.', [85, 240], 'Mécanisme de chasse'),
      problem('Évacuation bouchée', 'L’eau stagne dans le siphon de sol.', [180, 720], 'Curage haute pression'),
      problem('Pas d’eau chaude', 'Le ballon affiche un défaut.', [210, 1600], 'Résistance stéatite', 'winter'),
      problem('Radiateur qui fuit', 'Il goutte sur le parquet.', [130, 380], 'Robinet thermostatique', 'winter'),
    ],
  },
  {
    equipment: 'Armoire électrique',
    job: 'Électricité',
    spots: ['réserve', 'surface de vente', 'parking', 'façade', 'salle de réunion', 'ligne de caisses'],
    problems: [
      problem('Disjoncteur qui saute', 'Les caisses s’éteignent chaque midi.', [150, 850], 'Disjoncteur 4P 32A'),
      problem('Éclairage qui clignote', 'Toute une rangée, surtout le soir.', [140, 690], 'Alimentation LED'),
      problem('Éclairage de sécurité en défaut', 'Trois blocs restent éteints à la coupure.', [220, 980], 'Bloc BAES'),
      problem('Prise arrachée', 'Les fils sont à nu derrière le comptoir.', [80, 190], 'Prise 2P+T'),
      problem('Panneau lumineux éteint', 'La moitié ne s’allume plus.', [320, 1900], 'Modules LED'),
      problem('Détecteur de fumée qui bipe', 'Chaque minute, depuis hier.', [75, 210], 'Détecteur optique'),
    ],
  },
  {
    equipment: 'Porte automatique',
    job: 'Serrurerie',
    spots: ['entrée principale', 'quai 3', 'issue de secours B', 'local poubelles', 'entrée du personnel'],
    problems: [
      problem('Rideau métallique bloqué', 'Il s’arrête à mi-hauteur.', [240, 1750], 'Moteur tubulaire'),
      problem('Porte automatique restée ouverte', 'Il fait froid aux caisses.', [190, 1100], 'Radar', 'winter'),
      problem('Serrure forcée', 'Trace d’effraction, la porte ferme encore.', [160, 720], 'Cylindre de sécurité'),
      problem('Porte de quai enfoncée', 'Un camion a plié le panneau du bas.', [480, 2700], 'Panneau de porte'),
      problem('Ferme-porte cassé', 'La porte coupe-feu claque.', [95, 310], 'Ferme-porte EN4'),
      problem('Lecteur de badges muet', 'Personne n’entre sans clé.', [170, 560], 'Lecteur de badges'),
    ],
  },
];
