import Joi from 'joi';
import { defineEvent } from '../define-event.ts';
import { id, text } from '../fields.ts';
import { type Caller, type CompanyKind, callerSchema } from '../internal-token.ts';

/** Whose things are exported. */
export type ExportedCompany = { id: string; kind: CompanyKind };

/** A list, by the path and query of its download, as this user sees it now. `places`: the `place` of the query, with all below. */
export type ExportedList = { address: string; caller: Caller; places?: string[] };

/**
 * Requests the page after `after` of a company's things of this kind from `service`. It may be sent twice: only the first
 * answer counts.
 */
export type ExportPageRequested = {
  export_id: string;
  company: ExportedCompany;
  service: string;
  kind: string;
  after: string | null;
  /** Absent: all things of the kind. */
  list?: ExportedList;
};

export const exportPageRequested = defineEvent<ExportPageRequested>(
  'export.page_requested.v1',
  Joi.object<ExportPageRequested, true>({
    export_id: id.required(),
    company: Joi.object<ExportedCompany, true>({
      id: id.required(),
      kind: Joi.string<CompanyKind>().valid('client', 'contractor').required(),
    }).required(),
    service: Joi.string().required(),
    kind: Joi.string().required(),
    after: Joi.string().allow(null).required(),
    list: Joi.object<ExportedList, true>({
      address: Joi.string().required(),
      caller: callerSchema.required(),
      places: Joi.array<string[]>().items(id).optional(),
    }).optional(),
  }),
);

/** A stored file, and where it lies in the archive. */
export type ExportedFile = { key: string; path: string };

/**
 * The page that begins after `after`: `count` JSON lines, and the files that they name. `next` is null on the last one.
 * `refused`: why there is none, and never will be.
 */
export type ExportPageRead = {
  export_id: string;
  service: string;
  kind: string;
  after: string | null;
  count: number;
  lines: string;
  files: ExportedFile[];
  next: string | null;
  refused?: string;
};

export const exportPageRead = defineEvent<ExportPageRead>(
  'export.page_read.v1',
  Joi.object<ExportPageRead, true>({
    export_id: id.required(),
    service: Joi.string().required(),
    kind: Joi.string().required(),
    after: Joi.string().allow(null).required(),
    count: Joi.number().integer().min(0).required(),
    lines: text.required(),
    files: Joi.array<ExportedFile[]>()
      .items(Joi.object<ExportedFile, true>({ key: Joi.string().required(), path: Joi.string().required() }))
      .required(),
    next: Joi.string().allow(null).required(),
    refused: Joi.string().optional(),
  }),
);
