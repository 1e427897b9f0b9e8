import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import type { InlineConfig, Plugin } from 'vite';

/**
 * Files that pdf.js fetches only if a document needs them: fonts that a document does not embed, character maps, and
 * decoders of scans without WebAssembly, which the Content-Security-Policy forbids.
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
  // Of React Aria's own texts only English and French are bundled.
  plugins: [{ ...optimizeLocales.vite({ locales: ['en-US', 'fr-FR'] }), enforce: 'pre' }, pdfFiles],
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    outDir: 'dist/console',
    target: 'es2024',
    // Nothing is inlined: the Content-Security-Policy forbids inline scripts, and `data:` addresses of fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Silences warnings about `use client`, which concerns server rendering: the console has
      // none.
      onLog: (level, log, write) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && write(level, log),
    },
  },
};
