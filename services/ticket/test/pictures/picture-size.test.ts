import { pictureSize } from '../../pictures/picture-size.ts';

const frame = (marker: number, height: number, width: number, samples = 3) => [
  ...[0xff, marker, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, samples, 0, 0, 0],
];
const scan = [0xff, 0xda, 0, 4, 1, 0];
const pixels = [1, 2, 0xff, 0, 3, 0xff, 0xd0, 4];
const end = [0xff, 0xd9];
const jpeg = (...parts: number[][]) => Buffer.from([0xff, 0xd8, ...parts.flat()]);

test.each([
  ['one that is coded at once', jpeg(frame(0xc0, 600, 800), scan, pixels, end), 800 * 600 * 3],
  ['grey', jpeg(frame(0xc1, 600, 800, 1), scan, pixels, end), 800 * 600],
  ['one in several passes', jpeg(frame(0xc2, 600, 800), scan, pixels, scan, pixels, end), 800 * 600 * 9],
  ['one whose last bytes are escaped', jpeg(frame(0xc0, 600, 800), scan, [0xff, 0, 0xff, 0], end), 800 * 600 * 3],
  [
    'one with another picture behind its end',
    jpeg(frame(0xc0, 600, 800), scan, pixels, end, frame(0xc0, 9_000, 9_000)),
    800 * 600 * 3,
  ],
  [
    'one with a small picture in its header',
    jpeg([0xff, 0xe1, 0, 15], frame(0xc0, 60, 80), frame(0xc0, 600, 800), scan, pixels, end),
    800 * 600 * 3,
  ],
])('the size of a JPEG: %s', (_what, file, bytes) => {
  expect(pictureSize(file)).toEqual({ width: 800, height: 600, bytes });
});

test.each([
  ['without an end', jpeg(frame(0xc0, 600, 800), scan, pixels)],
  ['cut off in its header', jpeg(frame(0xc0, 600, 800)).subarray(0, 8)],
  ['with two frames', jpeg(frame(0xc0, 600, 800), frame(0xc0, 600, 800), scan, pixels, end)],
  ['with a second frame between its pixels', jpeg(frame(0xc0, 600, 800), scan, pixels, frame(0xc0, 9_000, 9_000), end)],
  ['without a height', jpeg(frame(0xc0, 0, 800), scan, pixels, end)],
  ['without a frame', jpeg(scan, pixels, end)],
  ['that is none', Buffer.from('%PDF-1.7')],
  ['of nothing', Buffer.alloc(0)],
])('a JPEG %s has none', (_what, file) => {
  expect(pictureSize(file)).toBe(null);
});

test('the size of a PNG takes its colours and their depth into account', () => {
  const png = (depth: number, colours: number) => {
    const file = Buffer.alloc(33);
    file.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
    file.write('IHDR', 12);
    file.writeUInt32BE(800, 16);
    file.writeUInt32BE(600, 20);
    file.set([depth, colours], 24);
    return file;
  };
  const perPixel = (depth: number, colours: number) => (pictureSize(png(depth, colours))?.bytes ?? 0) / (800 * 600);
  expect([perPixel(1, 0), perPixel(8, 6), perPixel(16, 6), perPixel(8, 3)]).toEqual([1, 4, 8, 4]);
  expect(pictureSize(png(8, 5))).toBe(null);
  expect(pictureSize(png(8, 6).subarray(0, 32))).toBe(null);
});
