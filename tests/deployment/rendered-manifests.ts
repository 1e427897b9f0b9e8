import { renderedPath } from '@app/kubernetes';
import { parse, parseAllDocuments } from 'yaml';
import { read } from './manifest-settings.ts';

// biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds
export type Manifest = any;

export const manifestsIn = (path: string): Manifest[] =>
  parseAllDocuments(read(path)).map((document) => document.toJS());

/** A file of Docker Compose, or of what it runs, with its anchors resolved. */
export const composeIn = (path: string): Manifest => parse(read(path), { merge: true });

/** What is applied of an overlay. */
export const documentsOf = (overlay: string): Manifest[] => manifestsIn(renderedPath(overlay));

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
