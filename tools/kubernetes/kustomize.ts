import { stringify } from 'yaml';

export type Json = Record<string, unknown>;

/** A component of Kustomize, with what it adds in `resources.yaml`. */
export type Component = { folder: string; documents: Json[]; kustomization: Json };

export const yaml = (document: Json | Json[]) => stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });

export function kustomization(resources: string[]): Json {
  return { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources };
}

export function component(): Json {
  return { apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component', resources: ['resources.yaml'] };
}

/** A patch that adds to lists, by the paths of the lists. */
export function additions(target: Json, added: [path: string, value: Json][]): Json {
  return { target, patch: yaml(added.map(([path, value]) => ({ op: 'add', path: `${path}/-`, value }))) };
}
