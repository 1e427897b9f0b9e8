import { Page } from '../../components/page.tsx';
import { useTexts } from './texts.ts';

export function PlatformUsersPage() {
  const texts = useTexts();
  return <Page title={texts.usersTitle}>{null}</Page>;
}
