export { generateManifests } from './manifests.ts';
export { overlays, renderedPath, sourcesHash } from './rendered.ts';
export { type Workload, workloads } from './workload.ts';
