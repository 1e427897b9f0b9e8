/** In pixels, of the longer side. */
const longestSide = 2_560;
const quality = 0.85;

/**
 * A photo as it is sent: upright, and its longer side at most 2,560 pixels. What is small enough, no picture, or none that this
 * browser can read, stays as it is.
 */
export async function shrunk(file: File): Promise<File> {
  if (!/^image\/(jpeg|png)$/.test(file.type)) return file;
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return file;
  const share = longestSide / Math.max(picture.width, picture.height);
  const made = share < 1 ? await drawn(picture, { share, type: file.type }) : null;
  picture.close();
  return made && made.size < file.size ? new File([made], file.name, { type: file.type }) : file;
}

function drawn(picture: ImageBitmap, { share, type }: { share: number; type: string }): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * share));
  canvas.height = Math.max(1, Math.round(picture.height * share));
  const context = canvas.getContext('2d');
  if (!context) return Promise.resolve(null);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, type, quality));
}
