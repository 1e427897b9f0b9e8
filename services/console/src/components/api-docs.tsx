import { useFrameTexts } from '../i18n/locale.tsx';

/** Links for integrators: the documents of both APIs, and the guide. The gateway serves them beside the console. */
export function ApiDocs() {
  const texts = useFrameTexts();
  return (
    <>
      <a href="/docs" target="_blank" rel="noopener">
        {texts.apiDocs}
      </a>
      <a href="/guide/" target="_blank" rel="noopener">
        {texts.guide}
      </a>
    </>
  );
}
