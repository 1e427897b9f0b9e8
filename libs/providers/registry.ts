import { ConfigError } from '@app/runtime';
import Joi from 'joi';
import { afnor, afnorPlatform } from './afnor/afnor.ts';
import { pennylane } from './pennylane/pennylane.ts';
import type { Provider } from './provider.ts';
import { sandbox } from './sandbox/sandbox.ts';

/**
 * `defaultUrl`: the address of the API if no setting gives one. `platform`: makes the provider of a further operator of the
 * same API, with the key `<key>-<name>` and the setting `PROVIDER_<KEY>_<NAME>_URL`. `hasDirectory`: its operators may have a directory.
 */
type Entry = {
  provider: Provider;
  defaultUrl?: string;
  platform?: (key: string) => Provider;
  hasDirectory?: true;
};

/** All providers, one line each. */
const catalogue: readonly Entry[] = [
  { provider: sandbox },
  { provider: pennylane, defaultUrl: 'https://app.pennylane.com/api/external/v2' },
  { provider: afnor, platform: afnorPlatform, hasDirectory: true },
];

const address = Joi.string()
  .allow('')
  .custom((value: string, helpers) =>
    isAddress(value) ? value : helpers.message({ custom: `{{#label}} ${addressRule}` }),
  )
  .unit('URL');

/** The settings that `providers` reads. */
export const providerSettings: Record<`PROVIDER_${string}_URL`, Joi.Schema> = Object.fromEntries(
  catalogue.flatMap(({ provider, defaultUrl, platform, hasDirectory = false }) => {
    const { key, capabilities } = provider;
    const own = address.description(`address of the API of the provider ${key}; without one there is no such provider`);
    const further = address.description(`address of a further operator of that API; the provider is ${key}-<name>`);
    const tokens = address.description(
      'where an OAuth2 client gets its tokens, if its connection names no other address',
    );
    const directory = address.description(
      'address of its directory service; unset: beside a flow service whose address ends in `flow-service`',
    );
    return [
      { name: settingOf(key), schema: defaultUrl ? own.default(defaultUrl) : own, isWanted: true },
      { name: settingOf(key, 'TOKEN_'), schema: tokens, isWanted: capabilities.oauth },
      { name: settingOf(key, 'DIRECTORY_'), schema: directory, isWanted: hasDirectory },
      { name: settingOf(`${key}-<name>`), schema: further, isWanted: platform !== undefined },
      { name: settingOf(`${key}-<name>`, 'DIRECTORY_'), schema: directory, isWanted: hasDirectory },
      {
        name: settingOf(`${key}-<name>`, 'TOKEN_'),
        schema: tokens,
        isWanted: platform !== undefined && capabilities.oauth,
      },
    ].flatMap(({ name, schema, isWanted }) => (isWanted ? [[name, schema]] : []));
  }),
);

export type ProviderSettings = { readonly [Name in `PROVIDER_${string}_URL`]?: string | undefined };

/** A provider with the address of its API; `tokenUrl` and `directoryUrl`: of its token endpoint and its directory, if an operator set them. */
export type ConfiguredProvider = {
  provider: Provider;
  baseUrl: string;
  tokenUrl: string | null;
  directoryUrl: string | null;
};

/**
 * The providers that have an address, by key: of `PROVIDER_<KEY>_URL`, or of `PROVIDER_<KEY>_<NAME>_URL` if several operators
 * have the same API (`PROVIDER_AFNOR_MY_PA_URL` is `afnor-my-pa`). An empty setting disables a provider that has a default.
 * `PROVIDER_<KEY>_TOKEN_URL` is a provider's token endpoint, and `…_DIRECTORY_URL` its directory, so no operator is called so.
 * @throws ConfigError naming the setting that is not an http(s) address
 */
export function providers(settings: ProviderSettings): ReadonlyMap<string, ConfiguredProvider> {
  const configured = catalogue.flatMap((entry) => [...own(entry, settings), ...platforms(entry, settings)]);
  return new Map(configured.map((one) => [one.provider.key, one]));
}

/** The provider with this key, with or without an address: enough to read its payloads. Null if there is none. */
export function providerOf(key: string): Provider | null {
  const entry = catalogue.find(({ provider }) => provider.key === key);
  if (entry) return entry.provider;
  const platform = catalogue.find(
    (one) =>
      one.platform && key.startsWith(`${one.provider.key}-`) && /^[a-z0-9-]{1,64}$/.test(key) && !key.endsWith('-'),
  );
  return platform?.platform?.(key) ?? null;
}

function own({ provider, defaultUrl }: Entry, settings: ProviderSettings): ConfiguredProvider[] {
  const setting = settingOf(provider.key);
  const value = settings[setting] ?? defaultUrl;
  return value ? [{ provider, baseUrl: addressIn(setting, value), ...besides(provider.key, settings) }] : [];
}

function platforms({ provider, platform }: Entry, settings: ProviderSettings): ConfiguredProvider[] {
  if (!platform) return [];
  const form = new RegExp(`^${settingOf(provider.key).replace('_URL', '')}_([A-Z0-9]+(?:_[A-Z0-9]+)*)_URL$`);
  return Object.entries(settings).flatMap(([setting, value]) => {
    const name = form.exec(setting)?.[1]?.toLowerCase().replaceAll('_', '-');
    if (!name || !value || /(?:^|-)(?:token|directory)$/.test(name)) return [];
    const key = `${provider.key}-${name}`;
    return [{ provider: platform(key), baseUrl: addressIn(setting, value), ...besides(key, settings) }];
  });
}

function besides(key: string, settings: ProviderSettings): Pick<ConfiguredProvider, 'tokenUrl' | 'directoryUrl'> {
  const urlIn = (setting: keyof ProviderSettings) => (settings[setting] ? addressIn(setting, settings[setting]) : null);
  return { tokenUrl: urlIn(settingOf(key, 'TOKEN_')), directoryUrl: urlIn(settingOf(key, 'DIRECTORY_')) };
}

function settingOf(key: string, what: '' | 'TOKEN_' | 'DIRECTORY_' = ''): `PROVIDER_${string}_URL` {
  return `PROVIDER_${key.toUpperCase().replaceAll('-', '_')}_${what}URL`;
}

function addressIn(setting: string, value: string): string {
  if (isAddress(value)) return value;
  throw new ConfigError(`${setting} ${addressRule}`);
}

const addressRule = 'must be an http(s) address without user and query';

function isAddress(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  // A user name or password in the address would end up in logs.
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
}
