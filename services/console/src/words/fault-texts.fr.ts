import { type PatternTranslation, translateByPattern } from './translate-by-pattern.ts';

/**
 * French for what the API says of a field, without the name of the field. Faults have no codes, so
 * they are recognised by their English words. A fault that is not listed is shown in English.
 */
const faults: PatternTranslation[] = [
  [/^(?:is required(?: of a contractor)?|must not be empty|must not be blank)$/, 'Obligatoire'],
  [/^must be a valid email$/, 'Doit être une adresse e-mail valable'],
  [/^length must be less than or equal to (\d+) characters long$/, '$1 caractères au plus'],
  [/^length must be at least (\d+) characters long$/, '$1 caractères au moins'],
  [/^must contain at least 1 item$/, 'Choisissez-en au moins un'],
  [/^must contain less than or equal to (\d+) items$/, '$1 au plus'],
  [/^contains a duplicate value$/, 'La même valeur y figure deux fois'],
  [/^must be a number$/, 'Doit être un nombre'],
  [/^must be greater than or equal to (\S+)$/, 'Doit être supérieur ou égal à $1'],
  [/^must be less than or equal to (\S+)$/, 'Doit être inférieur ou égal à $1'],
  [/^must be a decimal such as \S+, from 0 to 1000000000$/, 'Doit être un montant comme 1234,56, de 0 à 1 000 000 000'],
  [/^must have no more than (\d+) decimal places$/, '$1 décimales au plus'],
  [/^must be (?:an ISO date or a timestamp in milliseconds|in iso format)$/, 'Doit être une date'],
  [/^must be in the future$/, 'Doit être à venir'],
  [/^is before start(?:_date)?$/, 'Précède le début'],

  [/^is no time zone$/, 'N’est pas un fuseau horaire'],
  [/^must be a time, HH:MM$/, 'Doit être une heure, HH:MM'],
  [/^must end after it begins$/, 'Doit finir après son début'],
  [/^overlaps another one$/, 'Deux périodes se chevauchent'],
  [/^is for the same (?:tickets|place) as another one$/, 'Il y en a déjà pour cela'],
  [/^must have some of all places.*$/, 'Il faut d’abord des horaires pour tous les lieux'],
  [/^is no (?:\w+ )?\w+ of (?:this client|yours)$/, 'N’existe plus'],
  [/^names the \w+ itself$/, 'Ne peut pas dépendre de soi-même'],
  [/^would put this \w+ under itself$/, 'Ne peut pas dépendre de soi-même'],
  [/^is more than (\d+) levels deep$/, 'Plus de $1 niveaux'],
  [/^is neither on your list nor in a line above$/, 'Ne figure ni dans votre liste ni à une ligne au-dessus'],
  [/^fits several: give the _id$/, 'En désigne plusieurs : indiquez le _id'],
  [/^is the same as in line (\d+)$/, 'Désigne la même chose que la ligne $1'],
  [/^has no rows below .*$/, 'Aucune ligne sous celle des noms de colonnes'],
  [/^has more than (\d+) rows$/, 'Plus de $1 lignes'],
  [/^has the column “(.*)” twice$/, 'La colonne « $1 » y figure deux fois'],
  [/^has the column “(.*)”; it may have (.*)$/, 'La colonne « $1 » est inconnue ; colonnes possibles : $2'],
  [
    /^has the column “(.*)”, which is no custom field .*$/,
    'La colonne « $1 » n’est pas un champ personnalisé applicable ici',
  ],
  [/^has the column “(.*)”, which fits several .*$/, 'La colonne « $1 » désigne plusieurs champs : indiquez le _id'],
  [/^has the column “(.*)”, whose field .*$/, 'Le champ de la colonne « $1 » a déjà une colonne'],
  [/^has no column that is a custom field .*$/, 'Aucune colonne n’est un champ personnalisé applicable ici'],
  [/^line (\d+) has more than (\d+) characters$/, 'La ligne $1 a plus de $2 caractères'],
  [/^line (\d+) has not as many cells .*$/, 'La ligne $1 n’a pas autant de cellules que la première'],
  [
    /^line (\d+) (?:is not CSV|has (?:a quotation mark|text behind) .*)$/,
    'La ligne $1 a un guillemet mal placé ou non fermé',
  ],
  [/^is no company of kind contractor$/, 'N’est pas l’entreprise d’un prestataire'],
  [/^is no company$/, 'Cette entreprise n’existe pas'],
  [
    /^needs a proven domain: without one nobody but admins could sign in$/,
    'Demande un domaine prouvé : sans lui, seuls les administrateurs pourraient se connecter',
  ],
  [/^is not your password$/, 'Ce n’est pas votre mot de passe'],
  [/^(?:: )?a SIRET has 14 digits, got (\d+) characters$/, 'Un SIRET a 14 chiffres, pas $1'],
  [/^(?:: )?the first 9 digits, (\d+), are no SIREN: .*$/, 'Les 9 premiers chiffres, $1, ne sont pas un SIREN'],
  [/^(?:: )?(\d+) is no SIRET: .*$/, '$1 n’est pas un SIRET'],
  [
    /^several contractors are on this ticket: name one$/,
    'Plusieurs prestataires sont sur ce ticket : choisissez-en un',
  ],
  [/^no contractor is on this ticket$/, 'Aucun prestataire n’est sur ce ticket'],
  [/^this contractor is not on the ticket$/, 'Ce prestataire n’est pas sur le ticket'],

  [/^mentions more than (\d+) people$/, 'Mentionne plus de $1 personnes'],
  [
    /^mentions (.+), who is no active user of your company$/,
    'Mentionne $1, qui n’est pas un utilisateur actif de votre entreprise',
  ],
  [/^mentions (.+), who does not see this ticket$/, 'Mentionne $1, qui ne voit pas ce ticket'],
  [/^mentions (.+), who does not read notes for managers$/, 'Mentionne $1, qui ne lit pas les notes des gestionnaires'],

  [/^must be a (?:URL such as \S+|valid uri with a scheme matching the https pattern)$/, 'Doit être une adresse https'],
  [/^must use https$/, 'Doit être une adresse https'],
  [/^must have a public (?:address|host name)$/, 'Doit être une adresse publique'],
  [/^must not hold a user name or password$/, 'Ne doit contenir ni nom d’utilisateur ni mot de passe'],
  [/^must not begin or end with a space$/, 'Ne doit ni commencer ni finir par une espace'],
  [/^must be the name of a header$/, 'Doit être le nom d’un en-tête'],
  [/^is a header that cannot be set$/, 'Cet en-tête ne peut pas être défini'],
  [/^must not have a name twice$/, 'Le même nom y figure deux fois'],
  [/^must be visible ASCII characters$/, 'Doit être en caractères ASCII visibles'],
  [/^“(.*)” must contain a valid domain name$/, '« $1 » n’est pas un nom de domaine'],
  [/^does not answer as an OpenID Connect provider$/, 'Ne répond pas comme un fournisseur OpenID Connect'],
  [
    /^is required, as none is stored for this issuer and client$/,
    'Obligatoire : aucun n’est enregistré pour cet émetteur et ce client',
  ],
];

/** Undefined: there are no words for it. */
export function faultInFrench(said: string): string | undefined {
  return translateByPattern(faults, said);
}
