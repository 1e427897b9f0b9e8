import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { type Language, useFrameTexts, useLocale } from '../../i18n/locale.tsx';
import { saveFile } from '../../settings/save-file.ts';
import { Button } from '../button.tsx';
import { ErrorNote } from '../states.tsx';

export type ExportFormat = { format: 'csv' | 'xlsx'; language: Language };

type Props = {
  /** The name of the file, without its ending. */
  name: string;
  read: (format: ExportFormat) => Promise<Blob>;
};

/** Download what a list shows, for a spreadsheet, in the language of the page. */
export function ExportButtons({ name, read }: Props) {
  const texts = useFrameTexts();
  const { language } = useLocale();
  const download = useMutation({
    mutationFn: async (format: ExportFormat['format']) =>
      saveFile(await read({ format, language }), `${name}.${format}`),
  });
  return (
    <>
      {(['csv', 'xlsx'] as const).map((format) => (
        <Button
          key={format}
          variant="quiet"
          aria-label={texts.exportAs[format]}
          isPending={download.isPending && download.variables === format}
          onPress={() => download.mutate(format)}
        >
          <Download size={14} aria-hidden="true" />
          {format === 'csv' ? 'CSV' : 'Excel'}
        </Button>
      ))}
      <ErrorNote error={download.error} />
    </>
  );
}
