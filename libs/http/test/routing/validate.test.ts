import Joi from 'joi';
import { bodyOptions, check } from '../../routing/validate.ts';

test('of a change without a field, it says which fields there are', () => {
  const schema = Joi.object({ first_name: Joi.string(), phone: Joi.string() }).min(1);
  expect(check(schema, {}, bodyOptions).errors).toEqual([
    { path: '', message: 'give at least one of first_name, phone' },
  ]);
});
