import { useLocation } from 'wouter';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { announce } from '../../session/actions.ts';
import { useBeginExport } from './platform.ts';
import { useTexts } from './texts.ts';

/** Exports all that a company has, and shows how far it has come. */
export function BeginExport({ id, name }: { id: string; name: string }) {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const begin = useBeginExport();
  const press = () =>
    begin.mutate(id, {
      onSuccess: () => {
        announce(texts.exportBegun(name));
        navigate('/platform/exports');
      },
    });
  return (
    <>
      <ErrorNote error={begin.error} />
      <Button variant="quiet" aria-label={texts.exportOf(name)} isPending={begin.isPending} onPress={press}>
        {texts.exportCompany}
      </Button>
    </>
  );
}
