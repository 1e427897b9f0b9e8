import type { CompanySnapshot } from '@app/contracts';
import {
  answerRequest,
  type Contractor,
  type ContractorInput,
  changeContractor,
  companyToLink,
  createContractor,
} from '../../contractors/contractor.ts';

const at = new Date('2026-11-21T10:00:00Z');
const identity = { _id: 'c1', client_id: 'acme' };
const company: CompanySnapshot = {
  id: 'durand',
  name: 'Durand',
  kind: 'contractor',
  siret: '73282932000074',
  siren: '732829320',
};
const contractor = (given: Partial<Contractor> = {}): Contractor => ({
  ...createContractor(identity, { name: 'Durand' }, null),
  ...given,
});
const change = (from: Contractor, input: ContractorInput, linked: CompanySnapshot | null = company) =>
  changeContractor(from, input, linked);

describe('a new entry', () => {
  test('is external, without account, number or fields by default', () => {
    expect(createContractor(identity, { name: 'Durand' }, null)).toEqual({
      ...identity,
      name: 'Durand',
      type: 'external',
      company_id: null,
      requested_company_id: null,
      siret: null,
      siren: null,
      email: null,
      phone: null,
      fields: [],
    });
  });

  test.each([
    ['taken from the company', {}, company, '73282932000074', '732829320'],
    ['as sent', { siret: '35600000009075' }, company, '35600000009075', '356000000'],
    ['none, where null was sent', { siret: null }, company, null, null],
    ['none, where the company has none', {}, { ...company, siret: null, siren: null }, null, null],
  ])('its SIRET: %s', (_name, input, linked, siret, siren) => {
    const entry = createContractor(identity, { name: 'Durand', company_id: 'durand', ...input }, linked);
    expect(entry).toMatchObject({ company_id: null, requested_company_id: 'durand', siret, siren });
  });
});

describe('linking an entry to its company', () => {
  test('asks the company first, and fills a missing SIRET', () => {
    const { contractor: asking, events } = change(contractor(), { company_id: 'durand' });
    const requested = { company_id: null, requested_company_id: 'durand' };
    expect(asking).toMatchObject({ ...requested, siret: '73282932000074', siren: '732829320' });
    expect(events).toEqual([]);
    expect(change(asking, { company_id: null }, null).contractor).toMatchObject({ requested_company_id: null });
  });

  const asking = contractor({ requested_company_id: 'durand' });
  const answered = (from: Contractor, accept: boolean, companyId = 'durand') =>
    answerRequest(from, { companyId, accept, at });

  test('happens by its yes alone, once; a no ends the request', () => {
    const none = { kind: 'not_found', code: 'contractor_not_found' };
    expect(() => answered(asking, true, 'another')).toThrow(expect.objectContaining(none));
    expect(answered(asking, false)).toEqual({ contractor: { ...asking, requested_company_id: null }, events: [] });
    const { contractor: linked, events } = answered(asking, true);
    expect(linked).toEqual({ ...asking, company_id: 'durand', requested_company_id: null });
    expect(answered(linked, true)).toEqual({ contractor: linked, events: [] });
    expect(() => answered(linked, false)).toThrow(expect.objectContaining(none));
    expect(events).toEqual([
      {
        type: 'contractor.linked.v1',
        time: at.toISOString(),
        subject: 'c1',
        data: { client_id: 'acme', contractor_id: 'c1', company_id: 'durand' },
      },
    ]);
  });

  test('keeps the SIRET that the client gave', () => {
    const from = contractor({ siret: '35600000009075', siren: '356000000' });
    expect(change(from, { company_id: 'durand' }).contractor).toMatchObject({ siret: '35600000009075' });
  });

  test('asks for the company only where a new one is named', () => {
    expect(companyToLink({ company_id: 'durand' })).toBe('durand');
    expect(companyToLink({ company_id: 'durand' }, contractor())).toBe('durand');
    expect(companyToLink({ company_id: 'durand' }, contractor({ company_id: 'durand' }))).toBeNull();
    expect(companyToLink({ company_id: 'durand' }, contractor({ requested_company_id: 'durand' }))).toBeNull();
    expect(companyToLink({ company_id: null }, contractor())).toBeNull();
    expect(companyToLink({ name: 'x' }, contractor({ company_id: 'durand' }))).toBeNull();
  });
});

describe('a change', () => {
  test('changes the fields sent and leaves the rest', () => {
    const from = contractor({ company_id: 'durand', email: 'a@b.fr', siret: '35600000009075', siren: '356000000' });
    expect(change(from, { name: 'New', phone: '1', siret: null })).toEqual({
      contractor: { ...from, name: 'New', phone: '1', siret: null, siren: null },
      events: [],
    });
  });

  test('merges custom fields by their id; null takes one away', () => {
    const from = contractor({
      fields: [
        { field_id: 'a', value: '1' },
        { field_id: 'b', value: '2' },
      ],
    });
    const sent = [
      { field_id: 'b', value: null },
      { field_id: 'c', value: '3' },
    ];
    expect(change(from, { fields: sent }).contractor.fields).toEqual([
      { field_id: 'a', value: '1' },
      { field_id: 'c', value: '3' },
    ]);
  });
});
