import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bodyOptions } from '@app/http';
import Joi from 'joi';
import { en } from '../src/words/error-texts.en.ts';
import { fr } from '../src/words/error-texts.fr.ts';
import { faultInFrench } from '../src/words/fault-texts.fr.ts';

/** Every error code of the public APIs, with where it is answered. */
const page = readFileSync(join(__dirname, '../../../docs/errors.md'), 'utf8');
const answered = [...page.matchAll(/^## (\w+)\n\n\*\*([^*]+)\*\*/gm)].map(([, code = '', where = '']) => ({
  code,
  statuses: [...where.matchAll(/\b[45]\d\d\b/g)].map(Number),
}));

/** Codes with a common text for their status: a part of the platform does not answer. */
const saidByStatus = answered
  .filter(({ statuses }) => statuses.every((status) => status >= 502))
  .map(({ code }) => code);

/**
 * Codes that a user of the console only sees if the console has a bug: then the message of the API
 * is shown.
 */
const ofPrograms = [
  // Requests that the console does not make.
  'client_id_contractors_only',
  'contractor_id_clients_only',
  'idempotency_key_invalid',
  'invalid_cursor',
  'invalid_json',
  'invalid_multipart',
  'invalid_url',
  'malformed_request',
  'method_not_allowed',
  'no_deadline',
  'headers_too_large',
  'range_not_satisfiable',
  'thumbnail_not_found',
  // A stream that is refused: the console asks now and then instead.
  'too_many_streams',
  'transfer_encoding_unsupported',
  'unsupported_media_type',
  'purchase_invalid_purchase_id',
  'purchase_invalid_ticket_id',
  'purchase_order_link_only_on_goods_receipt',
  // Pages of other origins and other hosts, API tokens.
  'insufficient_scope',
  'origin_forbidden',
  'unknown_host',
  // Providers that call the platform.
  'client_id_required',
  'client_unknown',
  'invalid_signature',
  'too_many_events',
  // Mail servers that deliver, and the page that a link of an e-mail opens.
  'mail_secret_wrong',
  'unsubscribe_link_not_found',
];

/** Codes of the console itself, which no API returns. */
const ofConsole = ['document_failed', 'document_unreadable', 'unknown', 'validation'];

test('each error code is said in both languages, or listed as one that nobody meets', () => {
  const codes = answered.map(({ code }) => code);
  expect(codes.length).toBeGreaterThan(100);
  expect([...Object.keys(en), ...saidByStatus, ...ofPrograms].sort()).toEqual([...codes, ...ofConsole].sort());
});

test('each of them is a sentence, and another one in each language', () => {
  for (const [code, text] of Object.entries(en)) {
    expect([code, text]).toEqual([code, expect.stringMatching(/^\p{Lu}.*\.$/u)]);
    expect(fr[code as keyof typeof en]).toMatch(/^\p{Lu}.*\.$/u);
    expect(fr[code as keyof typeof en]).not.toBe(text);
  }
});

test.each<[string, Joi.Schema, unknown]>([
  ['Obligatoire', Joi.string().required(), undefined],
  ['Obligatoire', Joi.string(), ''],
  ['Doit être une adresse e-mail valable', Joi.string().email(), 'lea@nowhere'],
  ['3 caractères au plus', Joi.string().max(3), 'four'],
  ['12 caractères au moins', Joi.string().min(12), 'short'],
  ['Choisissez-en au moins un', Joi.array().min(1), []],
  ['2 au plus', Joi.array().max(2), [1, 2, 3]],
  ['La même valeur y figure deux fois', Joi.array().unique(), [1, 1]],
  ['Doit être un nombre', Joi.number(), 'x'],
  ['Doit être supérieur ou égal à 0', Joi.number().min(0), -1],
  ['Doit être inférieur ou égal à 9', Joi.number().max(9), 10],
  ['2 décimales au plus', Joi.number().precision(2), 1.234],
  ['Doit être une date', Joi.string().isoDate(), 'x'],
  ['Doit être une adresse https', Joi.string().uri({ scheme: ['https'] }), 'x'],
])('what the APIs check of a field is said in French: %s', (french, schema, wrong) => {
  const { error } = schema.label('field').validate(wrong, bodyOptions);
  expect(faultInFrench(error?.message.replace('field ', '') ?? '')).toBe(french);
});

test('what has no words in French is left to the API', () => {
  expect(faultInFrench('is not what this release knows of')).toBeUndefined();
});
