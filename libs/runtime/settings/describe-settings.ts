import type Joi from 'joi';
import { commonSettings } from './config.ts';

/** What an operator has to know of a setting. */
export type SettingDescription = {
  name: string;
  meaning: string;
  /** The unit of a number, or the form of a text. */
  unit: string;
  isRequired: boolean;
  isSecret: boolean;
  /** As it would be written in the environment; null: it is unset. */
  default: string | null;
  /** The default outside production, if it is another. */
  developmentDefault: string | null;
};

type Described = {
  type?: string;
  flags?: { description?: string; unit?: string; presence?: string; default?: unknown };
  metas?: { secret?: boolean }[];
};

/** Describes the settings of a service from their schemas, the common ones included. */
export function describeSettings(settings: Record<string, Joi.Schema>): SettingDescription[] {
  return Object.entries<Joi.Schema>({ ...commonSettings, ...settings }).map(([name, schema]) => {
    const { type, flags = {}, metas = [] } = schema.describe() as Described;
    const { description = '', unit = type === 'boolean' ? 'true or false' : '', presence, default: value } = flags;
    const inProduction = written(value, unit, 'production');
    const elsewhere = written(value, unit, 'development');
    return {
      name,
      unit,
      meaning: description,
      isRequired: presence === 'required',
      isSecret: metas.some((meta) => meta.secret === true),
      default: inProduction,
      developmentDefault: elsewhere === inProduction ? null : elsewhere,
    };
  });
}

function written(value: unknown, unit: string, environment: string): string | null {
  if (value === undefined) return null;
  // A default that depends on other settings depends on NODE_ENV alone.
  if (typeof value === 'function') return written(value({ NODE_ENV: environment }), unit, environment);
  const isDuration = unit === 'duration' || unit === 'durations';
  const one = (part: unknown) => (isDuration ? asDuration(Number(part)) : String(part));
  return Array.isArray(value) ? value.map(one).join(',') : one(value);
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

function asDuration(durationMs: number): string {
  const found = units.find(([, ms]) => durationMs >= ms && durationMs % ms === 0);
  if (durationMs === 0) return '0s';
  return found ? `${durationMs / found[1]}${found[0]}` : `${durationMs}ms`;
}
