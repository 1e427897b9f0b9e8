/** `bytes`: the memory that its decoded pixels take, at most. */
export type PictureSize = { width: number; height: number; bytes: number };

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** By the colour type of a PNG; a palette is decoded as RGBA. */
const pngChannels: Record<number, number> = { 0: 1, 2: 4, 3: 4, 4: 2, 6: 4 };

/** The size that a PNG or JPEG says it has, without decoding it; null if it says none, or several. */
export function pictureSize(file: Buffer): PictureSize | null {
  return pngSignature.equals(file.subarray(0, 8)) ? pngSize(file) : jpegSize(file);
}

function pngSize(file: Buffer): PictureSize | null {
  if (file.length < 33 || file.toString('latin1', 12, 16) !== 'IHDR') return null;
  const channels = pngChannels[file.readUInt8(25)];
  return channels === undefined
    ? null
    : sizeOf(file.readUInt32BE(16), file.readUInt32BE(20), channels * (file.readUInt8(24) === 16 ? 2 : 1));
}

const [startOfImage, endOfImage] = [0xd8, 0xd9];
/** Of a frame; DHT, JPG and DAC lie between them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** Escaped bytes, restarts and fill bytes: they have no length, and stand within coded pixels. */
const isPlain = (marker: number) =>
  marker === 0 || marker === 1 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7);

/**
 * Of the frame. A second one, even behind the first pixels, could be larger than the one that was checked; a file without an
 * end was cut off.
 */
function jpegSize(file: Buffer): PictureSize | null {
  if (file[0] !== 0xff || file[1] !== startOfImage) return null;
  let found: PictureSize | null = null;
  for (let at = file.indexOf(0xff, 2); at !== -1; ) {
    const marker = file[at + 1];
    if (marker === endOfImage) return found;
    if (marker === undefined || (!isPlain(marker) && at + 9 >= file.length)) return null;
    if (isFrame(marker)) {
      // Pixels that come in several passes are kept as coefficients of two bytes beside them.
      const perSample = marker === 0xc0 || marker === 0xc1 ? 1 : 3;
      const samples = file.readUInt8(at + 9);
      const frame = sizeOf(file.readUInt16BE(at + 7), file.readUInt16BE(at + 5), samples * perSample);
      if (found || !frame) return null;
      found = frame;
    }
    at = file.indexOf(0xff, isPlain(marker) ? at + (marker === 0xff ? 1 : 2) : at + 2 + file.readUInt16BE(at + 2));
  }
  return null;
}

function sizeOf(width: number, height: number, bytesPerPixel: number): PictureSize | null {
  return width > 0 && height > 0 ? { width, height, bytes: width * height * bytesPerPixel } : null;
}
