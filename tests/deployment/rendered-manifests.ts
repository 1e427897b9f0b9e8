import { spawnSync } from 'node:child_process';
import { parse, parseAllDocuments } from 'yaml';
import { findHelm } from './helm.ts';
import { read, root } from './manifest-settings.ts';

// biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds
export type Manifest = any;

/** A file of Docker Compose, or of what it runs, with its anchors resolved. */
export const composeIn = (path: string): Manifest => parse(read(path), { merge: true });

/** What is installed: each is a release with these arguments. */
export const releases = {
  dev: ['--namespace', 'facility-platform-dev', '--values', 'k8s/chart/values-dev.yaml'],
  production: ['--namespace', 'facility-platform', '--values', 'k8s/chart/values-production.yaml'],
  data: ['--namespace', 'data', '--set', 'data.enabled=true'],
};
export type Release = keyof typeof releases;

/** @throws Error with what Helm says if it fails */
export function helm(args: string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(findHelm(), args, { cwd: root, encoding: 'utf8', input });
  if (status !== 0) throw new Error(`helm ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

const rendered = new Map<string, string>();

/** What Helm makes of a release, and of more values. */
export function renderedText(release: Release, values = ''): string {
  const key = `${release} ${values}`;
  const args = ['template', release, 'k8s/chart', ...releases[release], ...(values ? ['--values', '-'] : [])];
  if (!rendered.has(key)) rendered.set(key, helm(args, values));
  return rendered.get(key) ?? '';
}

export const documentsOf = (release: Release, values = ''): Manifest[] =>
  parseAllDocuments(renderedText(release, values)).flatMap((document) => document.toJS() ?? []);

export const ofKind = (kind: string, documents: Manifest[]) => documents.filter((one) => one.kind === kind);

export const named = (kind: string, name: string, documents: Manifest[]) =>
  ofKind(kind, documents).find(({ metadata }) => metadata.name === name);

export const templatesOf = (documents: Manifest[]) =>
  documents
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ metadata, spec }) => ({
      name: metadata.name,
      labels: spec.template.metadata.labels,
      pod: spec.template.spec,
    }));

/** What the network policies let a pod with these labels reach. */
export const egressOf = (labels: Record<string, string>, documents: Manifest[]): Manifest[] =>
  ofKind('NetworkPolicy', documents)
    .filter(({ spec }) =>
      Object.entries(spec.podSelector.matchLabels ?? {}).every(([key, value]) => labels[key] === value),
    )
    .flatMap(({ spec }) => spec.egress ?? []);
