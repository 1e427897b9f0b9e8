// URLs from outside may name an address inside our network: they are checked before each request and redirect, and their DNS answers too.
export { type AddressPolicy, createAddressPolicy, publicNetworks } from './address-policy.ts';
export { networkList } from './network-list.ts';
export { createResolve, type Resolve } from './resolve.ts';
export { createSafeLookup } from './safe-dns-lookup.ts';
