export * from './request-span.ts';
export * from './span.ts';
export * from './start-tracing.ts';
