import type { Principal } from '@app/contracts';
import { aCaller } from '@app/testing';
import { type PlacesBelow, withPlacesBelow } from '../../callers/places.ts';

const company = aCaller();
const limited = { ...company, placeIds: ['site'] };
const verifying = (caller: typeof company | typeof limited, below: PlacesBelow) =>
  withPlacesBelow(async (): Promise<Principal> => ({ kind: 'caller', caller }), below);

test('who is not limited is verified as before, and no place is looked up', async () => {
  const below = jest.fn();
  expect(await verifying(company, below)('t')).toEqual({ kind: 'caller', caller: company });
  expect(below).not.toHaveBeenCalled();
});

test('a limited caller has the places below too, looked up once for all its requests of a moment', async () => {
  const below = jest.fn(async () => ['site', 'room']);
  const verify = verifying(limited, below);
  const principals = await Promise.all([verify('t'), verify('t')]);
  const expected = { kind: 'caller', caller: { ...limited, placeIds: ['site', 'room'] } };
  expect([...principals, await verify('t')]).toEqual([expected, expected, expected]);
  expect(below).toHaveBeenCalledTimes(1);
  expect(below).toHaveBeenCalledWith(limited, 't');
});

test('while the places cannot be looked up a limited caller is refused, and the next request asks again', async () => {
  const below = jest.fn().mockRejectedValueOnce(new Error('away')).mockResolvedValueOnce(['site']);
  const verify = verifying(limited, below);
  await expect(verify('t')).rejects.toThrow('away');
  expect(await verify('t')).toMatchObject({ caller: { placeIds: ['site'] } });
});
