import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `new AppError('conflict', 'in_use', 'a sentence')`; a sentence that a variable holds is not found. */
const thrown =
  /new AppError\(\s*'\w+',\s*'(?<code>\w+)',\s*(?:'(?<plain>(?:[^'\\]|\\.)*)'|"(?<quoted>[^"]*)"|`(?<template>[^`]*)`)/g;

/** The messages of errors by code, read from the sources; `…` stands for inserted values. */
export function errorMessages(root: string): Map<string, string[]> {
  const messages = new Map<string, Set<string>>();
  for (const source of sourcesOf(root)) {
    for (const { groups = {} } of source.matchAll(thrown)) {
      const { code = '', plain, quoted, template = '' } = groups;
      const message = plain ?? quoted ?? template.replaceAll(/\$\{[^}]*\}/g, '…');
      messages.set(code, (messages.get(code) ?? new Set()).add(message));
    }
  }
  return new Map([...messages].map(([code, all]) => [code, [...all].sort()]));
}

function sourcesOf(root: string): string[] {
  return ['libs', 'services'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((path) => path.endsWith('.ts') && !/(?:^|\/)(?:test|node_modules)\//.test(path))
      .map((path) => readFileSync(join(root, folder, path), 'utf8')),
  );
}
