import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { AlertDialog } from '../../components/overlays/overlay.tsx';
import { useEndSingleSignOn } from './single-sign-on.ts';
import { useTexts } from './texts.ts';

export function EndSingleSignOn({ onEnded }: { onEnded: () => void }) {
  const texts = useTexts();
  const [isAsking, setAsking] = useState(false);
  const end = useEndSingleSignOn();
  // Not a callback of `mutate`: with the settings this is gone before it would run.
  const confirm = () => void end.mutateAsync().then(onEnded, () => undefined);
  return (
    <div>
      <Button variant="danger" onPress={() => setAsking(true)}>
        {texts.end}
      </Button>
      <AlertDialog
        title={texts.endTitle}
        confirm={texts.end}
        isOpen={isAsking}
        isPending={end.isPending}
        error={end.error}
        onConfirm={confirm}
        onOpenChange={setAsking}
      >
        {texts.endHint}
      </AlertDialog>
    </div>
  );
}
