/** What is made of the code. */
export const verbs = {
  pages: ['writes the generated pages of docs/, and the types', () => import('./pages.ts')],
  types: ['writes the OpenAPI documents, and the types of sdk/api-client', () => import('./api-types.ts')],
  guide: ['builds the guide for integrators, which the console serves', () => import('./guide.ts')],
  lock: ['adds the optional packages of other platforms to package-lock.json', () => import('./lock.ts')],
} as const;
