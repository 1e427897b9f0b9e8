import type { ErrorLine } from '@app/http';

/** How routes that send a thumbnail are documented. */
export const thumbnailReply = {
  status: 200,
  description:
    'A WebP whose longer side has at most 480 pixels, upright, without what the camera noted of time and place',
  file: ['image/webp'],
  also: { 206: 'A range of it', 304: 'The copy of the client is current' },
};

export const thumbnailErrors: readonly ErrorLine[] = [
  '404 thumbnail_not_found',
  '416 range_not_satisfiable',
  '502 storage_unavailable',
];
