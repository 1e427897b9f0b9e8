/** In pixels, of the longer side. */
const longestSide = 2_560;
const quality = 0.85;

/**
 * A photo as it is sent: upright, its longer side at most 2,560 pixels unless its original size is wanted, and a JPEG if it is in a
 * format of phones that the API does not take. What is small enough, no picture, or none that this browser can read, stays as it is.
 */
export async function shrunk(file: File, { isOriginal = false } = {}): Promise<File> {
  const isTaken = /^image\/(jpeg|png)$/.test(file.type);
  // Not every system knows the type of a HEIC.
  const isConverted = /^image\/(webp|hei[cf])$/.test(file.type) || /\.hei[cf]$/i.test(file.name);
  if (isTaken ? isOriginal : !isConverted) return file;
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return file;
  const share = isOriginal ? 1 : Math.min(1, longestSide / Math.max(picture.width, picture.height));
  const type = isTaken ? file.type : 'image/jpeg';
  const made = isTaken && share === 1 ? null : await drawn(picture, { share, type });
  picture.close();
  if (!made || (isTaken && made.size >= file.size)) return file;
  return new File([made], isTaken ? file.name : `${file.name.replace(/\.\w+$/, '')}.jpg`, { type });
}

function drawn(picture: ImageBitmap, { share, type }: { share: number; type: string }): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * share));
  canvas.height = Math.max(1, Math.round(picture.height * share));
  const context = canvas.getContext('2d');
  if (!context) return Promise.resolve(null);
  context.imageSmoothingQuality = 'high';
  // A JPEG has no transparency: without a ground it is black.
  if (type === 'image/jpeg') {
    context.fillStyle = 'white';
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, type, quality));
}
