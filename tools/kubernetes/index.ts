export { generateManifests } from './manifests.ts';
export { overlays, renderedHeader, renderedPath } from './rendered-overlays.ts';
export { workloads } from './workload.ts';
