/** Who and what the demo data is about; names, numbers and addresses are invented. */

/** For an empty platform on one's own machine: `addDemoData` refuses to use it in production. */
export const demoPassword = 'demo-password-2026';

export type DemoCompany = { name: string; kind: 'client' | 'contractor'; siret: string };

export const client: DemoCompany = { name: 'Grand Bazar Demo', kind: 'client', siret: '902 000 017 00019' };

export const contractors: DemoCompany[] = [
  { name: 'Froid et Climat Demo', kind: 'contractor', siret: '902 000 025 00012' },
  { name: 'Ascenseurs du Midi Demo', kind: 'contractor', siret: '902 000 033 00016' },
];

export const users = [
  {
    company: client.name,
    email: 'admin@grand-bazar.example',
    first_name: 'Alice',
    last_name: 'Renaud',
    may: ['admin'],
  },
  {
    company: client.name,
    email: 'compta@grand-bazar.example',
    first_name: 'Karim',
    last_name: 'Benali',
    may: ['accounting'],
  },
  {
    company: 'Froid et Climat Demo',
    email: 'lea@froid-climat.example',
    first_name: 'Léa',
    last_name: 'Moreau',
    may: ['tickets'],
  },
  {
    company: 'Ascenseurs du Midi Demo',
    email: 'marc@ascenseurs-midi.example',
    first_name: 'Marc',
    last_name: 'Ortega',
    may: ['tickets'],
  },
];

const address = (route: string, postalCode: string, city: string) => ({ route, postalCode, city, country: 'France' });

export const locations = [
  { name: 'Lyon Part-Dieu', reference: 'LYO-01', address: address('17 rue des Essais', '69003', 'Lyon') },
  { name: 'Marseille Prado', reference: 'MRS-02', address: address('4 avenue des Modèles', '13008', 'Marseille') },
  { name: 'Lille Flandres', reference: 'LIL-03', address: address('9 place des Exemples', '59800', 'Lille') },
];

export const equipments = [{ name: 'Chambre froide' }, { name: 'Ascenseur' }, { name: 'Porte automatique' }];

export const jobs = [{ name: 'Froid' }, { name: 'Ascensoriste' }, { name: 'Serrurerie' }];

/** By position in the lists above; `to` are positions in `contractors`. */
export const tickets = [
  {
    title: 'Chambre froide : température trop haute',
    description: 'La chambre froide du rayon frais affiche 9 °C depuis ce matin.',
    priority: 'high',
    location: 0,
    equipment: 0,
    job: 0,
    move: 'assign',
    to: [0],
  },
  {
    title: 'Ascenseur bloqué au premier étage',
    description: 'Personne à l’intérieur. Les portes restent fermées.',
    priority: 'medium',
    location: 1,
    equipment: 1,
    job: 1,
    move: 'propose',
    to: [0, 1],
  },
  {
    title: 'Porte automatique bruyante',
    description: 'Elle grince à la fermeture.',
    priority: 'low',
    location: 2,
    equipment: 2,
    job: 2,
    move: null,
    to: [],
  },
] as const;
