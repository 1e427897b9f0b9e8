import { Printer } from 'lucide-react';
import { useFrameTexts } from '../i18n/locale.tsx';
import { Button } from './button.tsx';

/** Opens the browser's print dialog. What is printed of a page: `styles/print.css`. */
export function PrintButton() {
  const texts = useFrameTexts();
  return (
    <Button variant="quiet" onPress={() => window.print()}>
      <Printer size={16} aria-hidden="true" />
      {texts.print}
    </Button>
  );
}
