import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { importsOf, packageOf } from './architecture/imports.ts';
import { importBreaches } from './architecture/rules.ts';

const root = join(__dirname, '..');
const areas = ['libs', 'services', 'tools', 'tests'];
const files = areas.flatMap((area) =>
  (readdirSync(join(root, area), { recursive: true }) as string[])
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => `${area}/${path}`),
);
const isTest = (file: string) => file.startsWith('tests/') || /\/test\//.test(file);
const production = files.filter((file) => !isTest(file));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** A test is rows of data and stories, read from top to bottom: it may be longer. */
const budget = (file: string) => (isTest(file) ? 350 : 300);
/** Longer than that, each with its reason. */
const longer: Record<string, string> = {};

test.each(production)('%s imports only what it may', (file) => {
  expect(importBreaches(file, read(file))).toEqual([]);
});

test.each([
  ['rules that import mongoose', 'services/ticket/moves/moves.ts', "import { Schema } from 'mongoose';"],
  ['rules that import a store beside them', 'services/ticket/moves/moves.ts', "import { a } from './ticket-store.ts';"],
  [
    'rules that import a store in another folder',
    'services/ticket/notes/note.ts',
    "import { a } from '../tickets/ticket-store.ts';",
  ],
  [
    'rules that import a library which does I/O',
    'services/identity/user.ts',
    "import { createLogger } from '@app/runtime';",
  ],
  ['rules that import joi', 'services/ticket/notes/note.ts', "import Joi from 'joi';"],
  [
    'rules that import the file system',
    'services/ticket/notes/note.ts',
    "import { readFile } from 'node:fs/promises';",
  ],
  ['rules that open a socket', 'services/webhook-dispatcher/pace.ts', "import { BlockList, connect } from 'node:net';"],
  ['the kernel importing joi by import()', 'libs/kernel/ids.ts', "const joi = await import('joi');"],
  ['the kernel importing a library', 'libs/kernel/ids.ts', "export { a } from '@app/contracts';"],
  ['matching importing the file system', 'libs/matching/decide.ts', "import { readFile } from 'node:fs';"],
  ['matching importing a library that does I/O', 'libs/matching/decide.ts', "import { a } from '@app/runtime';"],
  ['contracts importing mongoose', 'libs/contracts/fields.ts', "import type { Schema } from 'mongoose';"],
  ['a library importing one beside it', 'libs/http/server.ts', "import { seal } from '@app/messaging';"],
  ['a relative path into another service', 'services/ticket/app.ts', "import { a } from '../identity/user.ts';"],
  ['a service importing a service', 'services/ticket/app.ts', "import { a } from '@app/identity';"],
  ['a service importing a tool', 'services/ticket/main.ts', "import { a } from '@app/infra';"],
  ['a relative path into a library', 'services/ticket/main.ts', "import { a } from '../../libs/http/route.ts';"],
  ['a library importing a service', 'libs/http/server.ts', "import { a } from '../../services/ticket/app.ts';"],
  ['production code importing testing', 'services/ticket/app.ts', "import { eventually } from '@app/testing';"],
  ['a tool importing testing', 'tools/start/main.ts', "import { eventually } from '@app/testing';"],
  ['amqplib in a service', 'services/ticket/app.ts', "import { connect } from 'amqplib';"],
  ['mongoose in routes', 'services/ticket/notes/note-routes.ts', "import mongoose from 'mongoose';"],
  ['the driver in a store', 'services/ticket/notes/note-store.ts', "import { MongoClient } from 'mongodb';"],
  ['mongoose itself in app.ts', 'services/ticket/app.ts', "import { createConnection } from 'mongoose';"],
  [
    'express itself in routes',
    'services/ticket/notes/note-routes.ts',
    "import express, { type Request } from 'express';",
  ],
  ['types of express in a store', 'services/ticket/notes/note-store.ts', "import type { Request } from 'express';"],
  ['axios in a use case', 'services/webhook-dispatcher/deliver.ts', "import axios from 'axios';"],
  ['require, over several lines', 'services/ticket/notes/note.ts', "const a = require(\n  './note-store.ts',\n);"],
  [
    'an import over several lines',
    'services/ticket/notes/note.ts',
    "import {\n  a,\n  type B,\n} from './note-store.ts';",
  ],
  ['an import for its side effect', 'services/ticket/notes/note.ts', "import './note-store.ts';"],
])('a planted fault is caught: %s', (_fault, file, source) => {
  expect(importBreaches(file, source)).toHaveLength(1);
});

test.each(production)('%s imports packages that its workspace lists', (file) => {
  const { name, dependencies = {} } = JSON.parse(read(join(...file.split('/').slice(0, 2), 'package.json'))) as {
    name: string;
    dependencies?: Record<string, string>;
  };
  const bare = importsOf(file, read(file)).filter(({ target, typeOnly }) => !typeOnly && !isPath(target));
  const packages = bare.map(({ target }) => packageOf(target)).filter((one) => !one.startsWith('node:'));
  expect(packages.filter((one) => one !== name && !(one in dependencies))).toEqual([]);
});

function isPath(target: string): boolean {
  return areas.some((area) => target.startsWith(`${area}/`));
}

test('no import runs in a circle', () => {
  const graph = new Map(files.map((file) => [file, importsOf(file, read(file)).filter(({ typeOnly }) => !typeOnly)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || done.has(file)) return;
    for (const { target } of graph.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

test.each(files)('%s is short and has a name that says what it is', (file) => {
  if (!longer[file]) expect(linesOf(file)).toBeLessThanOrEqual(budget(file));
  expect(basename(file)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*(\.int)?(\.test)?(\.d)?\.ts$/);
  expect(file).not.toMatch(/\/(common|shared|utils?|helpers?|types|constants)(\/|\.ts$)/);
});

test('an exception from the budget is given only where it is needed', () => {
  expect(Object.keys(longer).filter((file) => linesOf(file) <= budget(file))).toEqual([]);
});

function linesOf(file: string): number {
  return read(file).split('\n').length - 1;
}
