import type { bulk as bulkInEnglish } from './bulk-texts.en.ts';

const tickets = (count: number) => (count < 2 ? `${count} ticket` : `${count} tickets`);
const done = (count: number, participle: string) => `${tickets(count)} ${participle}${count < 2 ? '' : 's'}`;

export const bulk: typeof bulkInEnglish = {
  propose: {
    name: 'Proposer',
    title: 'Proposer les tickets sélectionnés',
    act: (count) => `Proposer ${tickets(count)}`,
    done: (count) => done(count, 'proposé'),
    consequence: null,
  },
  assign: {
    name: 'Affecter',
    title: 'Affecter les tickets sélectionnés',
    act: (count) => `Affecter ${tickets(count)}`,
    done: (count) => done(count, 'affecté'),
    consequence: null,
  },
  close: {
    name: 'Clôturer',
    title: 'Clôturer les tickets sélectionnés',
    act: (count) => `Clôturer ${tickets(count)}`,
    done: (count) => done(count, 'clôturé'),
    consequence:
      'Le travail s’arrête là. Rouverts, ils seront «\u00a0Ouverts\u00a0», quel que soit leur statut actuel.',
  },
};
