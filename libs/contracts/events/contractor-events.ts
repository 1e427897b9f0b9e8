import Joi from 'joi';
import { defineEvent } from '../define-event.ts';
import { id, text } from '../fields.ts';

/** A directory entry was linked to the account of its company, which now sees its views of tickets. */
export type ContractorLinked = { client_id: string; contractor_id: string; company_id: string };

export const contractorLinked = defineEvent<ContractorLinked>(
  'contractor.linked.v1',
  Joi.object<ContractorLinked, true>({
    client_id: id.required(),
    contractor_id: id.required(),
    company_id: id.required(),
  }),
);

/** An entry of a client's directory, at one version. */
export type ContractorSnapshot = {
  id: string;
  version: number;
  client_id: string;
  name: string;
  company_id: string | null;
  siret: string | null;
  siren: string | null;
};

export const contractorChanged = defineEvent<{ contractor: ContractorSnapshot }>(
  'contractor.changed.v1',
  Joi.object<{ contractor: ContractorSnapshot }, true>({
    contractor: Joi.object<ContractorSnapshot, true>({
      id: id.required(),
      version: Joi.number().integer().min(0).required(),
      client_id: id.required(),
      name: text.required(),
      company_id: id.allow(null).required(),
      siret: Joi.string().allow(null).required(),
      siren: Joi.string().allow(null).required(),
    }).required(),
  }),
);
