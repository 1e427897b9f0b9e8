import type { Targets } from '../../clocks/clocks.ts';
import { hoursFor, type Policy, policyFor } from '../../clocks/policies.ts';

const targets: Targets = {
  response: { amount: 4, unit: 'hours' },
  arrival: null,
  finish: null,
  warn_percent: 75,
};
const policy = (given: Partial<Policy>): Policy => ({
  priority: 'high',
  location_id: null,
  domain_id: null,
  typology_id: null,
  ...targets,
  ...given,
});

const ticket = {
  priority: 'high',
  typology_id: 'curatif',
  places: [['room', 'floor', 'site'], ['annex']],
  domains: [['lift', 'building']],
};

const ofSite = policy({ location_id: 'site' });
const ofFloor = policy({ location_id: 'floor' });
const ofLifts = policy({ domain_id: 'lift' });
const ofBuilding = policy({ domain_id: 'building' });
const ofRepairs = policy({ typology_id: 'curatif' });
const ofAll = policy({});

test.each<[string, Policy[], Policy | null]>([
  ['the nearest place', [ofAll, ofSite, ofFloor], ofFloor],
  ['a place before a domain', [ofLifts, ofSite], ofSite],
  ['the nearest domain', [ofBuilding, ofLifts], ofLifts],
  ['a domain before a typology', [ofRepairs, ofBuilding], ofBuilding],
  ['a typology before all', [ofAll, ofRepairs], ofRepairs],
  [
    'of the same place, the one that also names a domain',
    [ofFloor, policy({ location_id: 'floor', domain_id: 'lift' })],
    policy({ location_id: 'floor', domain_id: 'lift' }),
  ],
  [
    'of equal ones, the first',
    [policy({ location_id: 'room' }), policy({ location_id: 'annex' })],
    policy({ location_id: 'room' }),
  ],
  ['none of another priority', [policy({ priority: 'low' })], null],
  [
    'none of another place, domain or typology',
    [policy({ location_id: 'x' }), policy({ domain_id: 'x' }), policy({ typology_id: 'x' })],
    null,
  ],
])('the policy of a ticket is %s', (_, policies, wanted) => {
  expect(policyFor(policies, ticket)).toEqual(wanted);
});

test('hours are those of the first place, or of the nearest above it, or of all', () => {
  const hours = (location_id: string | null) => ({
    location_id,
    time_zone: 'Europe/Paris',
    openings: [],
    holidays: null,
    closed: [],
  });
  const all = [hours(null), hours('site'), hours('annex')];
  expect(hoursFor(all, ticket)).toEqual(hours('site'));
  expect(hoursFor(all, { places: [['elsewhere']] })).toEqual(hours(null));
  expect(hoursFor(all, { places: [] })).toEqual(hours(null));
  expect(hoursFor([], ticket)).toBeNull();
});
