import { readFileSync } from 'node:fs';

/** A setting, and a sentence that says what is wrong with it. */
type SettingFault = { name: string; sentence: string };

const suffix = '_FILE';

/**
 * Replaces `<NAME>_FILE` by `<NAME>` with the content of that file, without the line break at its
 * end. Secrets are handed to containers in this way, since an environment is inherited, inspected
 * and logged. Only the settings that `isSetting` knows.
 */
export function readSettingFiles(
  isSetting: (name: string) => boolean,
  env: NodeJS.ProcessEnv,
): { values: NodeJS.ProcessEnv; faults: SettingFault[] } {
  const values = { ...env };
  const faults: SettingFault[] = [];
  for (const [variable, path] of Object.entries(env)) {
    const name = variable.slice(0, -suffix.length);
    if (!variable.endsWith(suffix) || !isSetting(name) || path === undefined) continue;
    if (env[name] !== undefined) {
      faults.push({ name, sentence: `"${name}" and "${variable}" are both set: unset one of them` });
      continue;
    }
    try {
      values[name] = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      faults.push({ name, sentence: `"${variable}" names a file that cannot be read (${code}): ${path}` });
    }
  }
  return { values, faults };
}

/**
 * A function that reads the file of `<NAME>_FILE` again, since an operator changes a secret by replacing the file. It
 * gives `value` if there is no file, and the last value read if the file cannot be read.
 */
export function rereadSetting(name: string, value: string, env: NodeJS.ProcessEnv = process.env): () => string {
  let last = value;
  return () => {
    const { values, faults } = readSettingFiles((one) => one === name && env[`${one}${suffix}`] !== undefined, env);
    if (faults.length === 0) last = values[name] ?? last;
    return last;
  };
}

/**
 * The environment with these settings read from their files, for programs that pass it on.
 * @throws Error naming what cannot be read
 */
export function environmentWithFiles(names: readonly string[], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { values, faults } = readSettingFiles((name) => names.includes(name), env);
  if (faults.length > 0) throw new Error(faults.map(({ sentence }) => sentence).join('\n'));
  const isFile = (name: string) => name.endsWith(suffix) && names.includes(name.slice(0, -suffix.length));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !isFile(name)));
}
