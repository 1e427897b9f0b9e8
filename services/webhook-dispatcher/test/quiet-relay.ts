import { createRelay } from '@app/messaging';
import { testLogger } from '@app/testing';

/** For tests of a store, whose events nobody awaits: a relay without a broker. */
export const quietRelay = createRelay({ broker: { publish: async () => undefined }, logger: testLogger() });
