// Why it is so: docs/decisions/input-from-outside.md
export { type AddressPolicy, createAddressPolicy, publicNetworks } from './address-policy.ts';
export { networkList } from './network-list.ts';
export { createResolve, type Resolve } from './resolve.ts';
export { createSafeLookup } from './safe-dns-lookup.ts';
