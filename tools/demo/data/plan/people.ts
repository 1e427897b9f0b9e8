import { client, type DemoCompany } from '../companies/demo-content.ts';

/** A contractor of the week, with the account that it invoices from and who answers for it. All invented. */
export type Contractor = {
  company: DemoCompany;
  user: { email: string; first_name: string; last_name: string };
  iban: string;
  vatNumber: string;
  address: { street: string; postcode: string; city: string };
};

/** In the order of `trades` in `problems.ts`. The first two are of the demo companies already. */
export const contractors: Contractor[] = [
  {
    company: { name: 'Froid et Climat Demo', kind: 'contractor', siret: '902 000 025 00012' },
    user: { email: 'lea@froid-climat.example', first_name: 'Léa', last_name: 'Moreau' },
    iban: iban('30004', '00821', '00010203041'),
    vatNumber: vatOf('902000025'),
    address: { street: '12 rue de l’Industrie', postcode: '69800', city: 'Saint-Priest' },
  },
  {
    company: { name: 'Ascenseurs du Midi Demo', kind: 'contractor', siret: '902 000 033 00016' },
    user: { email: 'marc@ascenseurs-midi.example', first_name: 'Marc', last_name: 'Ortega' },
    iban: iban('10278', '07900', '00020456712'),
    vatNumber: vatOf('902000033'),
    address: { street: '3 boulevard des Machines', postcode: '13010', city: 'Marseille' },
  },
  {
    company: { name: 'Plomberie Roussel Demo', kind: 'contractor', siret: '902 000 041 00019' },
    user: { email: 'hugo@plomberie-roussel.example', first_name: 'Hugo', last_name: 'Roussel' },
    iban: iban('14518', '29261', '04017788903'),
    vatNumber: vatOf('902000041'),
    address: { street: '27 rue des Cordiers', postcode: '59000', city: 'Lille' },
  },
  {
    company: { name: 'Électricité Lumen Demo', kind: 'contractor', siret: '902 000 058 00013' },
    user: { email: 'ines@lumen-elec.example', first_name: 'Inès', last_name: 'Faure' },
    iban: iban('30003', '01220', '00037265404'),
    vatNumber: vatOf('902000058'),
    address: { street: '8 allée des Ampères', postcode: '33300', city: 'Bordeaux' },
  },
  {
    company: { name: 'Fermetures Bastide Demo', kind: 'contractor', siret: '902 000 066 00016' },
    user: { email: 'paul@fermetures-bastide.example', first_name: 'Paul', last_name: 'Bastide' },
    iban: iban('20041', '01005', '05000137455'),
    vatNumber: vatOf('902000066'),
    address: { street: '41 route de Paris', postcode: '44300', city: 'Nantes' },
  },
];

/** Sends invoices although no directory has it: nobody ordered anything of it. */
export const stranger = { name: 'Nettoyage Azur', siren: '902000074', siret: '90200007400010' };

/** Those who ask for the work at the client. Each calls with a session of its own, as people do. */
export const managers = [
  { email: 'nadia@grand-bazar.example', first_name: 'Nadia', last_name: 'Haddad' },
  { email: 'thomas@grand-bazar.example', first_name: 'Thomas', last_name: 'Lefèvre' },
  { email: 'julie@grand-bazar.example', first_name: 'Julie', last_name: 'Perrin' },
  { email: 'samuel@grand-bazar.example', first_name: 'Samuel', last_name: 'Okafor' },
];

export const buyer = {
  name: client.name,
  siren: digits(client.siret).slice(0, 9),
  siret: digits(client.siret),
  vatNumber: vatOf(digits(client.siret).slice(0, 9)),
  address: { street: '17 rue des Essais', postcode: '69003', city: 'Lyon' },
};

const place = (name: string, reference: string, [route, postalCode, city]: [string, string, string]) => ({
  name,
  reference,
  address: { route, postalCode, city, country: 'France' },
});

/** Besides the three of the demo companies. */
export const moreLocations = [
  place('Bordeaux Lac', 'BDX-04', ['2 avenue des Exemples', '33300', 'Bordeaux']),
  place('Nantes Atlantis', 'NTE-05', ['11 place des Modèles', '44800', 'Saint-Herblain']),
  place('Strasbourg Rivétoile', 'STR-06', ['5 quai des Essais', '67100', 'Strasbourg']),
  place('Toulouse Compans', 'TLS-07', ['30 allée des Exemples', '31000', 'Toulouse']),
  place('Paris La Villette', 'PAR-08', ['88 avenue des Essais', '75019', 'Paris']),
  place('Entrepôt Roissy', 'ROI-09', ['1 rue des Modèles', '95700', 'Roissy-en-France']),
];

export function digits(text: string): string {
  return text.replace(/\D/g, '');
}

/** With the key that French VAT numbers have: (12 + 3 × (SIREN mod 97)) mod 97. */
function vatOf(siren: string): string {
  return `FR${String((12 + 3 * (Number(siren) % 97)) % 97).padStart(2, '0')}${siren}`;
}

/** With the RIB's key, and the check digits of ISO 13616. */
function iban(bank: string, branch: string, account: string): string {
  const key = 97n - ((89n * BigInt(bank) + 15n * BigInt(branch) + 3n * BigInt(account)) % 97n);
  const bban = `${bank}${branch}${account}${String(key).padStart(2, '0')}`;
  // F is 15 and R is 27; the check digits are 00 while they are being computed.
  const check = 98n - (BigInt(`${bban}152700`) % 97n);
  return `FR${String(check).padStart(2, '0')}${bban}`;
}

/** An account that none of the contractors has. */
export const otherIban = iban('17515', '90000', '08765432109');
