import Joi from 'joi';
import { createAddressPolicy } from './address-policy.ts';

/** Joi for a setting of networks, `10.0.0.0/8,fd00::/8`; gives a list. */
export const networkList = Joi.string()
  .allow('')
  .custom((text: string, helpers) => {
    const cidrs = text.split(',').flatMap((cidr) => cidr.trim() || []);
    try {
      createAddressPolicy(cidrs);
      return cidrs;
    } catch (error) {
      return helpers.message({ custom: `{{#label}}: ${(error as RangeError).message}` });
    }
  })
  .unit('CIDRs');
