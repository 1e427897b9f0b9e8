import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import type { InlineConfig, Plugin } from 'vite';

/**
 * What pdf.js fetches only if a document needs it: fonts that documents name but lack, character maps, and its decoders of scans without
 * WebAssembly, which the Content-Security-Policy forbids.
 */
const pdfFiles: Plugin = {
  name: 'pdf-files',
  generateBundle() {
    const from = dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')));
    for (const folder of ['standard_fonts', 'cmaps', 'wasm']) {
      for (const file of readdirSync(join(from, folder))) {
        if (/\.(pfb|ttf|bcmap)$|_nowasm_fallback\.js$/.test(file))
          this.emitFile({
            type: 'asset',
            fileName: `pdf/${folder}/${file}`,
            source: readFileSync(join(from, folder, file)),
          });
      }
    }
  },
};

/** How the pages are bundled. */
export const viteConfig: InlineConfig = {
  root: import.meta.dirname,
  configFile: false,
  base: '/console/',
  // React Aria's own words are in American English alone.
  plugins: [{ ...optimizeLocales.vite({ locales: ['en-US', 'fr-FR'] }), enforce: 'pre' }, pdfFiles],
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
