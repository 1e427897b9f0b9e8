import Joi from 'joi';
import { defineEvent } from './define-event.ts';
import { id } from './fields.ts';

/** A directory entry was given the account of its company: its views on tickets become visible to that company. */
export type ContractorLinked = { client_id: string; contractor_id: string; company_id: string };

export const contractorLinked = defineEvent<ContractorLinked>(
  'contractor.linked.v1',
  Joi.object<ContractorLinked, true>({
    client_id: id.required(),
    contractor_id: id.required(),
    company_id: id.required(),
  }),
);
