import { crc32, deflateSync } from 'node:zlib';
import { Transformer } from '@napi-rs/image';

/** Red on the left and blue on the right, with some noise, so that it has the bytes of a photo. */
function halves(width: number, height: number): Transformer {
  const pixels = Buffer.alloc(width * height * 4, 255);
  for (let at = 0; at < width * height; at += 1) {
    const isRed = at % width < width / 2;
    pixels.set([isRed ? 255 : 0, (at * 7919) % 13, isRed ? 0 : 255], at * 4);
  }
  return Transformer.fromRgbaPixels(pixels, width, height);
}

export const aJpeg = (width: number, height: number): Buffer => halves(width, height).jpegSync(90);
export const aPng = (width: number, height: number): Buffer => halves(width, height).pngSync();

/** The JPEG as a camera writes it that was held upright: its first row is the right side of what was seen. */
export function heldUpright(jpeg: Buffer): Buffer {
  const rightTop = 6;
  const exif = Buffer.from(
    `Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0${String.fromCharCode(rightTop)}\0\0\0\0\0\0`,
    'latin1',
  );
  const length = Buffer.alloc(2);
  length.writeUInt16BE(exif.length + 2);
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xe1]), length, exif, jpeg.subarray(2)]);
}

/** A PNG of some kilobytes, all black, with a bit for a pixel. */
export function bomb(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc((Math.ceil(side / 8) + 1) * side), { level: 9 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A JPEG with a second frame header behind its first pixels: of 65,500 × 65,500. */
export function twoFrames(jpeg: Buffer): Buffer {
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  const second = Buffer.from(jpeg.subarray(frame, frame + 2 + jpeg.readUInt16BE(frame + 2)));
  second.writeUInt16BE(65_500, 5);
  second.writeUInt16BE(65_500, 7);
  return Buffer.concat([jpeg.subarray(0, -2), second, jpeg.subarray(-2)]);
}

/** Width, height and the colours of the four corners, from the upper left one clockwise, as `r` or `b`. */
export async function seen(picture: Buffer): Promise<{ size: [number, number]; corners: string; format: string }> {
  const { width, height, format } = await new Transformer(picture).metadata();
  const png = new Transformer(picture);
  const raw = await png.rawPixels();
  const channels = raw.length / (width * height);
  const at = (x: number, y: number) => ((raw[(y * width + x) * channels] ?? 0) > 127 ? 'r' : 'b');
  const [right, bottom] = [width - 1, height - 1];
  const corners = at(0, 0) + at(right, 0) + at(right, bottom) + at(0, bottom);
  return { size: [width, height], corners, format };
}
