/** A file that is not UTF-8: an older Excel writes the code page of Windows. */
export class NotUtf8 extends Error {
  override readonly name = 'NotUtf8';
}

/** @throws NotUtf8 */
export async function readText(file: File): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    if (error instanceof TypeError) throw new NotUtf8();
    throw error;
  }
}
