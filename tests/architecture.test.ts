import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGraph, readSources, type Sources } from './architecture/graph.ts';
import { rules } from './architecture/rules.ts';

const root = join(__dirname, '..');
const sources = readSources(root);

function breachesOf(rule: string, files: Sources): Record<string, string[]> {
  const read = (path: string) => files.get(path) ?? readFileSync(join(root, path), 'utf8');
  const code = new Map([...files].filter(([path]) => /\.tsx?$/.test(path)));
  const found = rules[rule]?.({ graph: createGraph(code), read }) ?? new Map<string, string[]>();
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

test.each([
  ['rules that import mongoose', pure, 'services/ticket/tickets/ticket.ts', "import { Schema } from 'mongoose';"],
  [
    'rules that import a store beside them',
    pure,
    'services/ticket/tickets/ticket.ts',
    "import './stores/ticket-store.ts';",
  ],
  [
    'rules that name the type of a store in another folder',
    pure,
    'services/ticket/notes/note.ts',
    "import type { TicketStore } from '../tickets/stores/ticket-store.ts';",
  ],
  [
    'rules that take what does I/O from a library',
    pure,
    'services/identity/users/user.ts',
    "import { createLogger } from '@app/runtime';",
  ],
  ['rules that import the file system', pure, 'services/ticket/notes/note.ts', "import 'node:fs/promises';"],
  ['rules that open a socket', pure, 'services/ticket/notes/note.ts', "import { BlockList, connect } from 'node:net';"],
  ['require in rules', pure, 'services/ticket/notes/note.ts', "const a = require(\n  './note-store.ts',\n);"],
  ['import() in rules', pure, 'services/ticket/notes/note.ts', "const a = import('./note-store.ts');"],
  [
    'an import over several lines, in rules',
    pure,
    'services/ticket/notes/note.ts',
    "import {\n  a,\n  type B,\n} from './note-store.ts';",
  ],
  [
    'matching importing a library that does I/O',
    pure,
    'libs/matching/decide.ts',
    "import { connectMongo } from '@app/runtime';",
  ],
  ['rules that import joi', parsing, 'services/ticket/notes/note.ts', "import Joi from 'joi';"],
  ['the kernel importing joi by import()', layers, 'libs/kernel/ids.ts', "const joi = await import('joi');"],
  ['the kernel importing a library', layers, 'libs/kernel/ids.ts', "export { a } from '@app/contracts';"],
  ['matching importing the file system', layers, 'libs/matching/decide.ts', "import { readFile } from 'node:fs';"],
  ['contracts importing mongoose', layers, 'libs/contracts/fields.ts', "import type { Schema } from 'mongoose';"],
  ['a library importing one beside it', layers, 'libs/http/server.ts', "import { seal } from '@app/messaging';"],
  [
    'a relative path into another service',
    layers,
    'services/ticket/app.ts',
    "import { a } from '../identity/user.ts';",
  ],
  ['a service importing a service', layers, 'services/ticket/app.ts', "import { a } from '@app/identity';"],
  ['a service importing a tool', layers, 'services/ticket/main.ts', "import { a } from '@app/infra';"],
  [
    'a relative path into a library',
    layers,
    'services/ticket/main.ts',
    "import { a } from '../../libs/http/routing/route.ts';",
  ],
  ['a library importing a service', layers, 'libs/http/server.ts', "import { a } from '../../services/ticket/app.ts';"],
  ['testing importing a tool', layers, 'libs/testing/eventually.ts', "import { a } from '@app/sandbox-provider';"],
  ['production code importing testing', layers, 'services/ticket/app.ts', "import { eventually } from '@app/testing';"],
  ['a tool importing testing', layers, 'tools/start/main.ts', "import { eventually } from '@app/testing';"],
  ['amqplib in a service', layers, 'services/ticket/app.ts', "import { connect } from 'amqplib';"],
  ['mongoose in routes', layers, 'services/ticket/notes/note-routes.ts', "import mongoose from 'mongoose';"],
  ['the driver in a store', layers, 'services/ticket/notes/note-store.ts', "import { MongoClient } from 'mongodb';"],
  ['mongoose itself in app.ts', layers, 'services/ticket/app.ts', "import { createConnection } from 'mongoose';"],
  [
    'express itself in routes',
    layers,
    'services/ticket/notes/note-routes.ts',
    "import express, { type Request } from 'express';",
  ],
  [
    'types of express in a store',
    layers,
    'services/ticket/notes/note-store.ts',
    "import type { Request } from 'express';",
  ],
  ['axios outside a client', layers, 'services/webhook-dispatcher/app.ts', "import axios from 'axios';"],
  ['routes without a route', suffix, 'services/ticket/notes/note-routes.ts', 'export const paging = 50;'],
  [
    'a store without a database',
    suffix,
    'services/ticket/notes/note-store.ts',
    "import type { A } from './b-store.ts';",
  ],
  [
    'a client that calls nobody',
    suffix,
    'services/gateway/identity-client.ts',
    "import { AppError } from '@app/kernel';",
  ],
  [
    'a route elsewhere',
    suffix,
    'services/ticket/notes/note.ts',
    "import { route } from '@app/http';\nroute<object>({});",
  ],
  ['a circle of types', circle, 'libs/kernel/ids.ts', "export type { A } from './index.ts';"],
  ['a package that is not listed', packages, 'services/ticket/app.ts', "import { connect } from 'amqplib';"],
  ['a long function', longest, 'libs/kernel/ids.ts', `export const a = () => {${'\n'.repeat(60)}};`],
  ['a long file', 'a file is short', 'libs/kernel/ids.ts', '\n'.repeat(301)],
  [
    'a page that imports a library of ours',
    layers,
    'services/console/src/app.tsx',
    "import { AppError } from '@app/kernel';",
  ],
  ['a page that imports the server', layers, 'services/console/src/app.tsx', "import { createApp } from '../app.ts';"],
  ['a page that imports Node', layers, 'services/console/src/app.tsx', "import { readFile } from 'node:fs';"],
  ['the server importing a page', layers, 'services/console/app.ts', "import { App } from './src/app.tsx';"],
  ['a page with a package that is not listed', packages, 'services/console/src/app.tsx', "import axios from 'axios';"],
  ['a store that knows a migration', layers, 'services/ticket/notes/note-store.ts', "import '../migrations/index.ts';"],
  ['a migration that is not listed', 'a service lists its migrations', 'services/ticket/migrations/0009-more.ts', ''],
  ['a migration without a number', 'a service lists its migrations', 'services/ticket/migrations/more.ts', ''],
  ['a vague name', 'a name says what the file is', 'libs/kernel/utils.ts', ''],
])('a planted fault is caught: %s', (_fault, rule, file, source) => {
  const before = breachesOf(rule, sources);
  const after = breachesOf(rule, new Map([...sources, [file, source]]));
  expect(Object.keys(after).length).toBeGreaterThan(Object.keys(before).filter((subject) => subject !== file).length);
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
