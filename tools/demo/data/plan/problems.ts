/** When a problem comes up. */
export type Season = 'winter' | 'summer' | null;

/** A problem that people report: what they write, what it costs without VAT (from, to), and what is delivered for it. */
export type Problem = { title: string; description: string; price: [number, number]; parts: string; season: Season };

type Trade = { equipment: string; job: string; problems: Problem[]; spots: string[] };

const winter = ['Heating stays cold', 'Pas d’eau chaude', 'Radiateur qui fuit', 'Automatic door stays open'];
const summer = [
  'Chambre froide trop chaude',
  'Air conditioning drips',
  'HVAC out of order',
  'Vitrine réfrigérée givrée',
  'Compresseur très bruyant',
  'Fuite de fluide frigorigène',
];

const problem = (title: string, description: string, price: [number, number], parts: string): Problem => ({
  title,
  description,
  price,
  parts,
  season: winter.includes(title) ? 'winter' : summer.includes(title) ? 'summer' : null,
});

/** In the order of `contractors` in `people.ts`. People write in French and in English, as in a chain with both. */
export const trades: Trade[] = [
  {
    equipment: 'Climatisation',
    job: 'Génie climatique',
    spots: ['rayon frais', 'réserve', 'sales floor', 'salle serveur', 'bureau du directeur', 'cold room 2'],
    problems: [
      problem('Chambre froide trop chaude', 'L’afficheur indique 9 °C au lieu de 3 °C.', [380, 1450], 'Ventilateur'),
      problem('Air conditioning drips', 'Water runs down the wall below the unit.', [180, 520], 'Condensate pump'),
      problem('HVAC out of order', 'Fault E4 on the display, no air at all.', [420, 2900], 'Circuit board'),
      problem(
        'Vitrine réfrigérée givrée',
        'Une épaisse couche de glace, la porte ferme mal.',
        [160, 640],
        'Joint de porte',
      ),
      problem('Compresseur très bruyant', 'Il claque à chaque démarrage.', [700, 3200], 'Silentblocs'),
      problem('Heating stays cold', 'Sixteen degrees since Monday morning.', [240, 980], 'Thermostat'),
      problem(
        'Fuite de fluide frigorigène',
        'L’alarme de la centrale a sonné cette nuit.',
        [900, 2600],
        'Fluide R449A',
      ),
    ],
  },
  {
    equipment: 'Ascenseur',
    job: 'Ascensoriste',
    spots: ['hall principal', 'quai de livraison', 'car park -1', 'staff entrance', 'galerie nord'],
    problems: [
      problem('Lift out of order', 'It stopped between two floors; nobody was inside.', [350, 2100], 'Door contact'),
      problem(
        'Ascenseur bloqué au rez-de-chaussée',
        'Les portes s’ouvrent et se referment.',
        [290, 1250],
        'Cellule de porte',
      ),
      problem('Monte-charge à l’arrêt', 'Le bouton d’arrêt d’urgence reste enclenché.', [260, 900], 'Bouton d’arrêt'),
      problem(
        'Escalator stops by itself',
        'It stops a few times a day, without anybody near.',
        [480, 3400],
        'Comb plate',
      ),
      problem('Éclairage de cabine défaillant', 'La cabine est dans le noir.', [90, 260], 'Réglette LED'),
      problem('Emergency phone does not answer', 'The test call rang without end.', [150, 430], 'GSM module'),
    ],
  },
  {
    equipment: 'Sanitaires',
    job: 'Plomberie',
    spots: ['vestiaire du personnel', 'toilettes clients', 'kitchen', 'local technique', 'first floor'],
    problems: [
      problem('Leaking valve', 'A bucket fills within an hour.', [120, 460], 'Ball valve DN25'),
      problem('Fuite au plafond', 'Une auréole s’étend au-dessus de la caisse 4.', [260, 1350], 'Raccords multicouche'),
      problem('Chasse d’eau qui coule', 'L’eau coule sans arrêt.', [85, 240], 'Mécanisme de chasse'),
      problem('Blocked drain', 'Water stands in the floor drain.', [180, 720], 'High-pressure cleaning'),
      problem('Pas d’eau chaude', 'Le ballon affiche un défaut.', [210, 1600], 'Résistance stéatite'),
      problem('Radiateur qui fuit', 'Le robinet goutte sur le parquet.', [130, 380], 'Robinet thermostatique'),
    ],
  },
  {
    equipment: 'Armoire électrique',
    job: 'Électricité',
    spots: ['réserve', 'sales floor', 'parking', 'façade', 'meeting room', 'ligne de caisses'],
    problems: [
      problem(
        'Disjoncteur qui saute',
        'Le circuit des caisses se coupe chaque midi.',
        [150, 850],
        'Disjoncteur 4P 32A',
      ),
      problem('Lights flicker', 'A whole row of lamps, worst in the evening.', [140, 690], 'LED driver'),
      problem(
        'Emergency lighting fails its test',
        'Three units stay dark when the mains is cut.',
        [220, 980],
        'BAES unit',
      ),
      problem('Prise arrachée', 'Les fils sont à nu derrière le comptoir.', [80, 190], 'Prise 2P+T'),
      problem('Enseigne éteinte', 'La moitié des lettres ne s’allume plus.', [320, 1900], 'Modules LED'),
      problem('Smoke detector beeps', 'Every minute, since yesterday.', [75, 210], 'Optical detector'),
    ],
  },
  {
    equipment: 'Porte automatique',
    job: 'Serrurerie',
    spots: ['entrée principale', 'quai 3', 'fire exit B', 'local poubelles', 'staff entrance'],
    problems: [
      problem('Rideau métallique bloqué', 'Il s’arrête à mi-hauteur.', [240, 1750], 'Moteur tubulaire'),
      problem('Automatic door stays open', 'It is cold at the tills.', [190, 1100], 'Radar sensor'),
      problem('Serrure forcée', 'Trace d’effraction, la porte ferme encore.', [160, 720], 'Cylindre de sécurité'),
      problem('Dock door hit by a truck', 'The lowest panel is bent.', [480, 2700], 'Door panel'),
      problem('Ferme-porte cassé', 'La porte coupe-feu claque.', [95, 310], 'Ferme-porte EN4'),
      problem('Badge reader dead', 'Nobody comes in without a key.', [170, 560], 'Badge reader'),
    ],
  },
];
