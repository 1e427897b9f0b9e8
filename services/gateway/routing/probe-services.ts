const timeoutMs = 2_000;

/** Resolves once one of the services answers, whatever it says. @throws Error if none does within 2 s */
export async function probeServices(urls: readonly string[]): Promise<void> {
  const asked = urls.map((url) => fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(timeoutMs) }));
  await Promise.any(asked).catch(() => {
    throw new Error('no service behind the gateway answers');
  });
}
