import { Page } from '../../components/page.tsx';
import { useTexts } from './texts.ts';

export function ConnectionsPage() {
  const texts = useTexts();
  return <Page title={texts.title}>{null}</Page>;
}
