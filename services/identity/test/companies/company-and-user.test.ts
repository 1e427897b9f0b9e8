import { type CompanyKind, companyCreated, type Permission } from '@app/contracts';
import { createCompany } from '../../companies/company.ts';
import { callerOf, startSession } from '../../sessions/session.ts';
import { createUser } from '../../users/user.ts';

const at = new Date('2026-11-21T10:00:00.250Z');
const { company } = createCompany({ name: 'Acme', kind: 'client', siret: '732 829 320 00074' }, at);
const input = {
  company_id: company.id,
  email: 'ada@acme.test',
  password: 'correct horse battery',
  first_name: 'Ada',
  last_name: 'Martin',
  permissions: ['accounting'] as Permission[],
};

test.each<[CompanyKind, string | null | undefined, object]>([
  ['client', '732 829 320 00074', { siret: '73282932000074', siren: '732829320' }],
  ['contractor', '35600000000048', { siret: '35600000000048', siren: '356000000' }],
  ['contractor', null, { siret: null, siren: null }],
  ['client', undefined, { siret: null, siren: null }],
])('a %s with SIRET %s', (kind, siret, numbers) => {
  const created = createCompany({ name: 'Acme', kind, ...(siret === undefined ? {} : { siret }) }, at);
  const snapshot = { id: expect.stringMatching(/^[0-9a-f]{24}$/), name: 'Acme', kind, ...numbers };
  expect(created.company).toEqual({ ...snapshot, closed_at: null, version: 0 });
  const [event] = created.events;
  expect(created.events).toEqual([{ ...event, type: companyCreated.type, data: { company: snapshot } }]);
  expect(companyCreated.schema.validate(event?.data, { convert: false }).error).toBeUndefined();
});

test('a session lasts 12 hours, to the second', () => {
  const { user } = createUser(input, at);
  expect(startSession(user, { address: '198.51.100.7', userAgent: 'x'.repeat(1000) }, at)).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    user_id: user.id,
    company_id: company.id,
    created_at: at,
    expires_at: new Date('2026-11-21T22:00:00.000Z'),
    used_at: at,
    address: '198.51.100.7',
    user_agent: 'x'.repeat(300),
  });
});

test('other services know a caller by company, user and permissions', () => {
  const { user } = createUser(input, at);
  expect(callerOf(user, company, 'token')).toEqual({
    companyId: company.id,
    companyName: 'Acme',
    companyKind: 'client',
    userId: user.id,
    firstName: 'Ada',
    lastName: 'Martin',
    email: 'ada@acme.test',
    permissions: ['accounting'],
    via: 'token',
  });
});

test('they know a user who is limited to places by these, and others by none', () => {
  const place_ids = ['6655a0c41f2b3c4d5e6f7081'];
  const { user, events } = createUser({ ...input, place_ids }, at);
  expect(callerOf(user, company, 'session').placeIds).toEqual(place_ids);
  expect(events[0]?.data).toMatchObject({ user: { place_ids } });
  const [event] = createUser(input, at).events;
  expect(event?.data).not.toHaveProperty('user.place_ids');
});
