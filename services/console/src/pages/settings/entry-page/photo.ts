import { call, tickets } from '../../../api/client.ts';
import type { Picture } from '../../../components/pictures/picture.ts';
import type { Photo } from '../entry.ts';
import type { PagedKind } from '../kinds.ts';

const base = '/api/v3.0';

/** A body of one file. */
function formOf(file: File) {
  const bodySerializer = () => {
    const form = new FormData();
    form.append('file', file);
    return form;
  };
  return { body: { file } as never, bodySerializer };
}

/** What can be done with the photo of an entry. */
export function photoOf(kind: PagedKind, id: string) {
  const [location, equipment] = [{ path: { location_id: id } }, { path: { equipment_id: id } }];
  return kind === 'locations'
    ? {
        set: (file: File) =>
          call(tickets.PUT(`${base}/locations/{location_id}/photo`, { params: location, ...formOf(file) })),
        remove: () => call(tickets.DELETE(`${base}/locations/{location_id}/photo`, { params: location })),
        link: (query: { s3_key: string }, signal: AbortSignal) =>
          call(
            tickets.GET(`${base}/locations/{location_id}/photo/download-link`, {
              params: { ...location, query },
              signal,
            }),
          ),
      }
    : {
        set: (file: File) =>
          call(tickets.PUT(`${base}/equipments/{equipment_id}/photo`, { params: equipment, ...formOf(file) })),
        remove: () => call(tickets.DELETE(`${base}/equipments/{equipment_id}/photo`, { params: equipment })),
        link: (query: { s3_key: string }, signal: AbortSignal) =>
          call(
            tickets.GET(`${base}/equipments/{equipment_id}/photo/download-link`, {
              params: { ...equipment, query },
              signal,
            }),
          ),
      };
}

export function pictureOf(kind: PagedKind, id: string, { name, s3_key }: Photo): Picture {
  return {
    id: s3_key,
    name,
    thumbnail: `${base}/${kind}/${id}/photo/thumbnail?s3_key=${s3_key}`,
    link: async (signal) => (await photoOf(kind, id).link({ s3_key }, signal)).download_url,
  };
}
