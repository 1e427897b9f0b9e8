import { createRelay } from '@app/messaging';
import { testLogger } from '@app/testing';

/** A relay without a broker, for tests of a store that do not read its events. */
export const quietRelay = createRelay({ broker: { publish: async () => undefined }, logger: testLogger() });
