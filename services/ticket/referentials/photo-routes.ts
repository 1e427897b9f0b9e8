import { answer, type ErrorLine, type Route, responseSent, route, sendVersion } from '@app/http';
import { AppError } from '@app/kernel';
import { type Storage, sendFile, type UrlSigner } from '@app/storage';
import Joi from 'joi';
import { type UploadDeps, uploadErrors, withUpload } from '../http/with-upload.ts';
import { thumbnailErrors, thumbnailReply } from '../pictures/thumbnail-reply.ts';
import { type Thumbnails, thumbnailKey } from '../pictures/thumbnails.ts';
import type { StoredFile } from '../tickets/ticket.ts';
import type { Versioned } from './location-snapshot.ts';
import { kinds } from './referential-kinds.ts';
import { called, type EntryParams, entryOf, envelope, type KindDeps, writing } from './referential-route-base.ts';
import type { ReferentialStore } from './referential-store.ts';

type Deps = UploadDeps & {
  referentials: ReferentialStore;
  storage: Storage;
  links: UrlSigner;
  thumbnails: Pick<Thumbnails, 'of'>;
};
type Of = Omit<Deps, 'referentials'> & KindDeps;
type ByKey = { s3_key: string };

const busy = '503 referential_busy';

/** The photo of a place or of equipment, which its page shows. */
export function photoRoutes(deps: Deps): Route[] {
  return kinds
    .filter(({ isPictured }) => isPictured)
    .flatMap((row) => [...changeRoutes({ ...deps, row }), ...fileRoutes({ ...deps, row })]);
}

function photoOf({ row, referentials }: KindDeps) {
  const { path, ...entry } = entryOf(row, referentials);
  const errors: ErrorLine[] = [`404 ${row.kind}_not_found`];
  return { ...entry, path: `${path}/photo`, errors } as const;
}

function changeRoutes({ row, referentials, uploads }: Of): Route[] {
  const base = photoOf({ row, referentials });
  /** The former photo and its thumbnail have no owner any more. */
  const replaced: Parameters<ReferentialStore['changePhoto']>[2]['replaced'] = async (former, session) => {
    if (former) await uploads.abandon([former.key, thumbnailKey(former.key)], session);
  };
  return [
    route<EntryParams, object, object, Versioned>({
      ...base,
      ...writing(row),
      method: 'put',
      summary: `Set the photo: ${called(row.one)}`,
      errors: [...base.errors, ...uploadErrors, busy],
      multipart: Joi.object({ file: Joi.any().required().description('PNG or JPEG of at most 20 MB') }),
      async handle({ resource: found, precondition, req, res }) {
        const form = { req, res, fields: Joi.object(), options: { write: null } };
        return withUpload({ uploads }, form, async ({ file, keep }) => {
          const photo = file as StoredFile;
          if (photo.type === 'application/pdf')
            throw new AppError('unsupported_type', 'file_type', 'a photo must be a PNG or JPEG');
          const changed = await referentials.changePhoto(found, photo, {
            check: precondition,
            async replaced(former, session) {
              await replaced(former, session);
              await keep?.(session);
            },
          });
          sendVersion(res, changed.version);
          return envelope({ row, referentials }, changed);
        });
      },
    }),
    route<EntryParams, object, object, Versioned>({
      ...base,
      ...writing(row),
      method: 'delete',
      summary: `Remove the photo: ${called(row.one)}`,
      errors: [...base.errors, busy],
      reply: { status: 204 },
      async handle({ resource: found, precondition }) {
        await referentials.changePhoto(found, null, { check: precondition, replaced });
      },
    }),
  ];
}

function fileRoutes({ row, referentials, storage, links, thumbnails }: Of): Route[] {
  const { versioned: _, ...base } = photoOf({ row, referentials });
  const read = {
    ...base,
    method: 'get',
    query: Joi.object<ByKey>({ s3_key: Joi.string().max(200).required() }),
  } as const;
  const errors: ErrorLine[] = [...base.errors, '404 document_not_found'];
  return [
    route<EntryParams, ByKey, object, Versioned>({
      ...read,
      path: `${base.path}/download-link`,
      summary: `Sign the link of the photo: ${called(row.one)}`,
      errors,
      reply: {
        status: 200,
        schema: answer({ download_url: Joi.string(), expires_at: Joi.string().isoDate() }),
      },
      async handle({ resource: found, query }) {
        const { key, name, type } = photoIn(found, query);
        const { url, expiresAt } = links.sign({ key, name, type });
        return { download_url: url, expires_at: expiresAt };
      },
    }),
    route<EntryParams, ByKey, object, Versioned>({
      ...read,
      path: `${base.path}/thumbnail`,
      summary: `The thumbnail of the photo: ${called(row.one)}`,
      errors: [...errors, ...thumbnailErrors],
      reply: thumbnailReply,
      async handle({ resource: found, caller, query, req, res }) {
        await sendFile(storage, await thumbnails.of(photoIn(found, query), caller.companyId), req, res);
        return responseSent;
      },
    }),
  ];
}

/** By its key, so that the address of a thumbnail is that of one photo for ever. @throws AppError not_found `document_not_found` */
function photoIn(found: Versioned, { s3_key }: ByKey): StoredFile {
  const photo = 'photo' in found ? found.photo : null;
  if (photo?.key === s3_key) return photo;
  throw new AppError('not_found', 'document_not_found', 'this is not its photo, or no longer');
}
