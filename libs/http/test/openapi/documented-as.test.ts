import Joi from 'joi';
import { documentedAs, namedEnum } from '../../openapi/documented-as.ts';
import { jsonSchema } from '../../openapi/json-schema.ts';
import { openApi } from '../../openapi/openapi.ts';
import { route } from '../../routing/route.ts';

const colours = { red: '1a', blue: '2b' };
const colour = documentedAs(
  Joi.string()
    .max(9)
    .custom((value: string) => value.toLowerCase()),
  namedEnum(colours),
);
const list = documentedAs(
  Joi.string().custom((value: string) => value.split(',')),
  { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
);

test('an enum has the names of its values, besides what the field says', () => {
  const shown = { type: 'string', enum: ['1a', '2b'], 'x-enum-varnames': ['red', 'blue'] };
  expect(jsonSchema(Joi.object({ colour: colour.description('its colour') }))).toMatchObject({
    properties: { colour: { ...shown, description: 'its colour' } },
  });
  expect(jsonSchema(colour)).toEqual(shown);
});

test('what is shown does not change what is taken', () => {
  expect([colour.validate('2B').value, list.validate('a,b').value]).toEqual(['2b', ['a', 'b']]);
  expect(colour.validate('0123456789').error?.message).toContain('9 characters');
});

test('a list of a query is separated by commas', () => {
  const get = route({
    host: 'ticket',
    method: 'get',
    path: '/things',
    summary: 'x',
    tag: 'x',
    access: 'public',
    query: Joi.object({ colours: list, colour }),
    reply: { status: 200 },
    handle: async () => ({}),
  } as Parameters<typeof route>[0]);
  const { paths } = openApi('x', [get]) as { paths: Record<string, Record<string, { parameters: object[] }>> };
  const [many, one] = paths['/things']?.['get']?.parameters ?? [];
  expect(many).toMatchObject({ name: 'colours', style: 'form', explode: false, schema: { type: 'array' } });
  expect(one).not.toHaveProperty('style');
});
