import { serveTasks } from '@app/runtime/workers';
import { ResizeFit, Transformer } from '@napi-rs/image';
import { pictureSize } from './picture-size.ts';

/** The program of the workers of thumbnails.ts: makes one thumbnail after the other. */
export type Task = { picture: Uint8Array };

/** `thumbnail`: a WebP. `refused`: why this file will never have one. */
export type Outcome = { thumbnail: Uint8Array } | { refused: string };

/** In pixels, of the longer side: twice what the pages show, for fine displays. */
const longestSide = 480;
const quality = 72;
/** 38 megapixels, 28 with transparency, 12 in several passes. The process then takes 400 MB at most. */
const maxBytes = 110 * 1024 * 1024;

async function make({ picture }: Task): Promise<Outcome> {
  const file = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  const size = pictureSize(file);
  if (!size) return { refused: 'it says no size' };
  const { width, height, bytes } = size;
  if (bytes > maxBytes) return { refused: `its ${width} × ${height} pixels are too many` };
  try {
    // Upright, as its camera was held; with nothing else that the camera noted, such as the place.
    const made = new Transformer(file).rotate();
    const isLarge = Math.max(width, height) > longestSide;
    // Not `fastResize`, which takes twice the memory.
    const box = { width: longestSide, height: longestSide, fit: ResizeFit.Inside };
    return { thumbnail: await (isLarge ? made.resize(box) : made).webp(quality) };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

serveTasks(make);
