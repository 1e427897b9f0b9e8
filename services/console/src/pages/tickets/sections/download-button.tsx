import { useMutation } from '@tanstack/react-query';
import { call, tickets } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNote } from '../../../components/states.tsx';
import { useTexts } from '../texts.ts';

type Props = { ticketId: string; s3Key: string; name: string };

/** The link is requested on each press, since it expires soon. */
export function DownloadButton({ ticketId, s3Key, name }: Props) {
  const texts = useTexts();
  const open = useMutation({
    mutationFn: () => {
      const params = { path: { ticket_id: ticketId }, query: { s3_key: s3Key } };
      return call(tickets.GET('/api/v3.0/tickets/{ticket_id}/documents/download-link', { params }));
    },
    onSuccess: ({ download_url }) => location.assign(download_url),
  });
  return (
    <>
      <Button variant="quiet" isPending={open.isPending} onPress={() => open.mutate()}>
        {texts.download(name)}
      </Button>
      <ErrorNote error={open.error} />
    </>
  );
}
