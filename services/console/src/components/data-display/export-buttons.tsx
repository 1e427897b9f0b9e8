import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { Link } from 'react-aria-components';
import { call, ts } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { type Language, useFrameTexts, useLocale } from '../../i18n/locale.tsx';
import { saveFile } from '../../settings/save-file.ts';
import { Button } from '../button.tsx';
import { ErrorNote } from '../states.tsx';

export type ExportFormat = { format: 'csv' | 'xlsx'; language: Language };

type Props = {
  /** The name of the file, without its ending. */
  name: string;
  /** What is downloaded, if it is not the list of the page. */
  of?: string;
  read: (format: ExportFormat) => Promise<Blob>;
};

/** Download what a list or a figure shows, for a spreadsheet, in the language of the page. */
export function ExportButtons({ name, of, read }: Props) {
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
          aria-label={of === undefined ? texts.exportAs[format] : texts.actionOn(texts.exportAs[format], of)}
          isPending={download.isPending && download.variables === format}
          onPress={() => download.mutate(format)}
        >
          {of === undefined && <Download size={14} aria-hidden="true" />}
          {format === 'csv' ? 'CSV' : 'Excel'}
        </Button>
      ))}
      <ErrorNote error={download.error} />
      {download.error instanceof ApiError && download.error.code === 'sheet_too_large' && (
        <InBackground address={download.error.url ?? ''} />
      )}
    </>
  );
}

/** The file of a list that is too long for a download: made in the background while the page is open or not. */
function InBackground({ address }: { address: string }) {
  const texts = useFrameTexts();
  const begin = useMutation({
    mutationFn: () => {
      const { pathname, search } = new URL(address);
      return call(ts.POST('/exports', { body: { download: pathname + search } }));
    },
  });
  return (
    <>
      {begin.isSuccess ? (
        <span role="status">
          {texts.fileIsMade} <Link href="/account">{texts.yourFiles}</Link>
        </span>
      ) : (
        <Button variant="quiet" isPending={begin.isPending} onPress={() => begin.mutate()}>
          {texts.makeFile}
        </Button>
      )}
      <ErrorNote error={begin.error} />
    </>
  );
}
