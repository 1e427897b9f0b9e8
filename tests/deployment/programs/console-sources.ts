import { build } from 'vite';
import { viteConfig } from '../../../services/console/vite-config.ts';

/** Prints, as JSON, the files of this repository that the pages of the console are made of. A program, because Vite is an ES module. */
const sources = new Set<string>();
await build({
  ...viteConfig,
  logLevel: 'warn',
  plugins: [
    ...(viteConfig.plugins ?? []),
    { name: 'sources', moduleParsed: ({ id }) => void sources.add(id.replace(/^\0|\?.*$/g, '')) },
  ],
  build: { ...viteConfig.build, write: false, minify: false, reportCompressedSize: false },
});
console.log(JSON.stringify([...sources]));
