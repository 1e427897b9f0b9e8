import type { CanonicalInvoice } from '@app/contracts';
import { decide } from '../decide.ts';
import { locationKeys, placeKeys } from '../references/location-mentions.ts';
import { candidate, invoice, known, order, place, receipt, ticket } from './sample.ts';

const roissy = place({ id: '9', name: 'Warehouse Roissy', reference: 'ROI-09', postal_code: '95700' });
const nantes = place({ id: '5', name: 'Nantes Atlantis', reference: 'NTE-05', postal_code: '44800' });
const bc = order('BC-2026-0042', 1000);
const at = (locations = [roissy]) => candidate(ticket('1'), { purchases: [bc, receipt(bc, 'BR-7')], locations });

const lineOf = (label: string): Partial<CanonicalInvoice> => ({
  lines: [{ label, qty: 1, unitPrice: null, ht: null, vatRate: null }],
});
const decideOn = (given: Partial<CanonicalInvoice>, locations = [roissy]) =>
  decide({
    invoice: invoice('BC-2026-0042', given),
    supplier: known,
    candidates: [at(locations)],
    namedLocations: [nantes, roissy].filter((one) =>
      locationKeys(one).some((key) => placeKeys(invoice(null, given)).includes(key)),
    ),
  });

test.each([
  ['its name on a line', lineOf('Dépannage à Nantes-Atlantis'), 'Nantes Atlantis'],
  ['its reference', { references: [{ kind: 'buyer_reference' as const, value: 'NTE 05' }] }, 'NTE-05'],
  ['a delivery address', { places: ['11 place des Modèles, 44800, Saint-Herblain'] }, '44800'],
])('an invoice that names another place is never linked, and says why: %s', (_how, given, name) => {
  const { decision, flags, suggestions } = decideOn(given);
  expect({ decision, flags }).toEqual({ decision: 'queue', flags: ['other_place'] });
  expect(suggestions[0]?.signals).toContainEqual({
    code: 'other_place',
    points: -15,
    values: { name, held: 'Warehouse Roissy' },
  });
  expect(suggestions[0]?.reasons).toContain(
    `the invoice names another place: ${name}; the ticket is at Warehouse Roissy`,
  );
});

test.each([
  ['names no place', {}, [roissy]],
  ['names the place too', { places: ['11 place des Modèles, 44800, Saint-Herblain', 'Warehouse Roissy'] }, [roissy]],
  ['has the number of another place', { places: ['44800'] }, [roissy]],
  ['has a number of five digits on a line', lineOf('44800 vis'), [roissy]],
  ['names another place, but the ticket has none', lineOf('Nantes Atlantis'), []],
  ['names one of the places', lineOf('Nantes Atlantis'), [roissy, nantes]],
  ['has a postal code, but not every place has one', { places: ['44800 Nantes'] }, [place({ id: '9' })]],
  ['names a part of the place', lineOf('Nantes Atlantis'), [place({ id: '9', name: 'Nantes Atlantis Sud' })]],
])('an invoice that %s contradicts nothing', (_what, given, locations) => {
  expect(decideOn(given, locations).decision).toBe('auto');
});
