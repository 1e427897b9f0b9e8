export { type AddressPolicy, createAddressPolicy } from './address-policy.ts';
export { createCheckedLookup, type LookupFault } from './checked-lookup.ts';
export { createResolve, type Resolve } from './resolve.ts';
