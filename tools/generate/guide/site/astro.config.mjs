import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import { base, sidebar } from '../pages.ts';

// biome-ignore lint/style/noDefaultExport: Astro takes it so
export default defineConfig({
  base,
  // Loads nothing from other hosts, and writes no cache beside the pages.
  build: { assets: '_assets' },
  devToolbar: { enabled: false },
  integrations: [
    starlight({
      title: 'Facility platform',
      description: 'The guide for integrators',
      customCss: ['./src/guide.css'],
      sidebar,
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 2 },
      lastUpdated: false,
      credits: false,
    }),
  ],
});
