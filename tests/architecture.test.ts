import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGraph, readSources, type Sources, workspaceOf } from './architecture/graph.ts';
import { rules } from './architecture/rules.ts';

const root = join(__dirname, '..');
const sources = readSources(root);

/** What breaches a rule, in the files of one workspace if it is given. */
function breachesOf(rule: string, files: Sources, workspace?: string): Record<string, string[]> {
  const read = (path: string) => files.get(path) ?? readFileSync(join(root, path), 'utf8');
  const graph = createGraph(new Map([...files].filter(([path]) => /\.tsx?$/.test(path))));
  const looked = graph.files.filter((file) => workspace === undefined || workspaceOf(file) === workspace);
  const found = rules[rule]?.({ graph: { ...graph, files: looked }, read }) ?? new Map<string, string[]>();
  return Object.fromEntries([...found].filter(([, breaches]) => breaches.length > 0));
}

test.each(Object.keys(rules))('%s', (rule) => {
  expect(breachesOf(rule, sources)).toEqual({});
});

const layers = 'a file imports only what its layer may';
const pure = 'rules do no I/O';
const parsing = 'rules leave the parsing of input to routes';
const suffix = 'a suffix tells the truth';
const circle = 'no import runs in a circle';
const folders = 'no folder of a workspace imports another one back';
const packages = 'a file imports only packages that its workspace lists';
const longest = Object.keys(rules).find((rule) => rule.startsWith('no function')) as string;

const ids = 'libs/kernel/ids.ts';
const server = 'libs/http/server.ts';
const ticket = 'services/ticket/tickets/ticket.ts';
const note = 'services/ticket/notes/note.ts';
const noteStore = 'services/ticket/notes/note-store.ts';
const noteRoutes = 'services/ticket/notes/note-routes.ts';
const app = 'services/ticket/app.ts';
const page = 'services/console/src/app.tsx';
const migrations = 'services/ticket/migrations';

test.each([
  ['rules that import mongoose', pure, ticket, "import { Schema } from 'mongoose';"],
  ['rules that import a store beside them', pure, ticket, "import './stores/ticket-store.ts';"],
  ['rules that name the type of a store', pure, note, "import type { A } from '../tickets/stores/ticket-store.ts';"],
  [
    'rules that do I/O by a library',
    pure,
    'services/identity/users/user.ts',
    "import { createLogger } from '@app/runtime';",
  ],
  ['rules that open a socket', pure, note, "import { BlockList, connect } from 'node:net';"],
  ['require in rules', pure, note, "const a = require(\n  './note-store.ts',\n);"],
  ['an import over several lines, in rules', pure, note, "import {\n  a,\n  type B,\n} from './note-store.ts';"],
  [
    'matching that does I/O by a library',
    pure,
    'libs/matching/decide.ts',
    "import { connectMongo } from '@app/runtime';",
  ],
  ['rules that import joi', parsing, note, "import Joi from 'joi';"],
  ['the kernel importing joi by import()', layers, ids, "const joi = await import('joi');"],
  ['contracts importing mongoose', layers, 'libs/contracts/fields.ts', "import type { Schema } from 'mongoose';"],
  ['a library importing one beside it', layers, server, "import { seal } from '@app/messaging';"],
  ['a library importing a service', layers, server, "import { a } from '../../services/ticket/app.ts';"],
  ['a relative path into another service', layers, app, "import { a } from '../identity/user.ts';"],
  ['a service importing a service', layers, app, "import { a } from '@app/identity';"],
  ['a tool importing testing', layers, 'tools/start/main.ts', "import { eventually } from '@app/testing';"],
  ['mongoose itself in app.ts', layers, app, "import { createConnection } from 'mongoose';"],
  ['express itself in routes', layers, noteRoutes, "import express, { type Request } from 'express';"],
  ['axios outside a client', layers, app, "import axios from 'axios';"],
  ['a page that imports a library of ours', layers, page, "import { AppError } from '@app/kernel';"],
  ['a page that imports Node', layers, page, "import { readFile } from 'node:fs';"],
  ['the server importing a page', layers, 'services/console/app.ts', "import { App } from './src/app.tsx';"],
  ['a store that knows a migration', layers, noteStore, "import '../migrations/index.ts';"],
  ['routes without a route', suffix, noteRoutes, 'export const paging = 50;'],
  ['a store without a database', suffix, noteStore, "import type { A } from './b-store.ts';"],
  ['a client that calls nobody', suffix, 'services/ticket/a-client.ts', "import { AppError } from '@app/kernel';"],
  [
    'a store by the driver without a reason',
    'a store that takes the driver says why',
    noteStore,
    'const notes = collectionOf(model);',
  ],
  ['a route elsewhere', suffix, note, "import { route } from '@app/http';\nroute<object>({});"],
  ['a circle of types', circle, ids, "export type { A } from './index.ts';"],
  ['a package that is not listed', packages, app, "import { connect } from 'amqplib';"],
  ['a long function', longest, ids, `export const a = () => {${'\n'.repeat(80)}};`],
  ['a long file', 'a file is short', ids, '\n'.repeat(401)],
  ['a migration that is not listed', 'a service lists its migrations', `${migrations}/0009-more.ts`, ''],
  ['a migration without a number', 'a service lists its migrations', `${migrations}/more.ts`, ''],
  [
    'a store that reads what may be rolled back',
    'services read what a majority has',
    noteStore,
    "notes.findOne({}, { readConcern: { level: 'local' } });",
  ],
  [
    'a database that is read by default',
    'services read what a majority has',
    'libs/storage/backends/gridfs-storage.ts',
    "import { MongoClient } from 'mongodb';\nexport const client = new MongoClient('', { w: 'majority' });",
  ],
  ['a vague name', 'a name says what the file is', 'libs/kernel/utils.ts', ''],
])('a planted fault is caught: %s', (_fault, rule, file, source) => {
  const breaches = breachesOf(rule, new Map([...sources, [file, source]]), workspaceOf(file));
  expect(breaches).toHaveProperty([file]);
});

test.each([
  ['of a service', 'services/ticket/notes', 'services/ticket/tickets'],
  ['within a folder', 'services/ticket/tickets/lists', 'services/ticket/tickets/stores'],
  ['of the console', 'services/console/src/api', 'services/console/src/session'],
])('a planted fault is caught: folders %s in a circle', (_where, one, other) => {
  const planted = new Map([
    [`${one}/note.ts`, `import '../${other.split('/').at(-1)}/ticket.ts';`],
    [`${other}/ticket.ts`, `import type { Note } from '../${one.split('/').at(-1)}/deep/note-view.ts';`],
    [`${one}/deep/note-view.ts`, ''],
  ]);
  expect(Object.keys(breachesOf(folders, planted))).toEqual([one, other]);
});

test('a planted fault is caught: a package that is listed and not used', () => {
  const planted = new Map([
    ['services/ticket/app.ts', ''],
    ['services/ticket/package.json', '{ "dependencies": { "axios": "1" } }'],
  ]);
  const rule = 'a workspace lists only packages that it uses';
  expect(Object.keys(breachesOf(rule, planted))).toEqual(['services/ticket']);
});
