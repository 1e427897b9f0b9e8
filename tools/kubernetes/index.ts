export { generateManifests } from './manifests.ts';
export { overlays, renderedHeader, renderedPath } from './rendered-overlays.ts';
export { type Workload, workloads } from './workload.ts';
