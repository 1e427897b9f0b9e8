import optimizeLocales from '@react-aria/optimize-locales-plugin';
import type { InlineConfig } from 'vite';

/** How the pages are bundled. */
export const viteConfig: InlineConfig = {
  root: import.meta.dirname,
  configFile: false,
  base: '/console/',
  // React Aria's own words are in American English alone.
  plugins: [{ ...optimizeLocales.vite({ locales: ['en-US', 'fr-FR'] }), enforce: 'pre' }],
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    outDir: 'dist/console',
    target: 'es2024',
    // No data: addresses, which the Content-Security-Policy forbids for fonts, and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // `use client` is for servers that render, of which there is none.
      onLog: (level, log, write) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && write(level, log),
    },
  },
};
