import type Joi from 'joi';
import * as connection from '../../../services/connection/config.ts';
import * as console from '../../../services/console/config.ts';
import * as gateway from '../../../services/gateway/config.ts';
import * as identity from '../../../services/identity/config.ts';
import * as reconciliation from '../../../services/invoice-reconciliation/config.ts';
import * as purchase from '../../../services/purchase/config.ts';
import * as ticket from '../../../services/ticket/config.ts';
import * as dispatcher from '../../../services/webhook-dispatcher/config.ts';

/** What a service declares in its config.ts. `settingSchemas` is without the settings that every service has. */
export type ServiceSettings = {
  settingSchemas: Record<string, Joi.Schema>;
  /** @throws ConfigError */
  loadSettings: (env: NodeJS.ProcessEnv) => unknown;
};

/** The settings of each service, as its own code reads them. */
export const serviceSettings = {
  gateway,
  identity,
  ticket,
  purchase,
  'webhook-dispatcher': dispatcher,
  connection,
  'invoice-reconciliation': reconciliation,
  console,
} satisfies Record<string, ServiceSettings>;

export type ServiceName = keyof typeof serviceSettings;
