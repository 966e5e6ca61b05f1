import { readFileSync } from 'node:fs';
import {
  AlphaAction,
  ImageMagick,
  type IMagickImage,
  initializeImageMagick,
  MagickColors,
  MagickFormat,
  MagickGeometry,
  MagickImageInfo,
  MagickReadSettings,
  ResourceLimits,
} from '@imagemagick/magick-wasm';
import type { ImageFormat, ImageJob, ImageOperation } from './job.ts';

const MAX_SIDE = 16_384;
/** A pixel takes four bytes, and operations need two pictures. */
const MAX_PIXELS = 30_000_000;
const MAX_MEMORY = 500_000_000;

const FORMATS: Readonly<Record<ImageFormat, MagickFormat>> = {
  png: MagickFormat.Png,
  jpeg: MagickFormat.Jpeg,
  webp: MagickFormat.WebP,
  avif: MagickFormat.Avif,
  gif: MagickFormat.Gif,
};

/** The properties of a picture. */
interface ImageFacts {
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
  readonly transparent: boolean;
  /** Kinds of metadata in it, such as `exif`, which may reveal a location. */
  readonly metadata: readonly string[];
}

/** The result for a picture; without an output format only its properties. */
interface ProcessedImage {
  readonly before: ImageFacts;
  readonly after?: { readonly width: number; readonly height: number; readonly content: string };
}

const wasm = readFileSync(new URL(import.meta.resolve('@imagemagick/magick-wasm/magick.wasm')));
await initializeImageMagick(wasm);
ResourceLimits.width = BigInt(MAX_SIDE);
ResourceLimits.height = BigInt(MAX_SIDE);
ResourceLimits.area = BigInt(MAX_PIXELS);
ResourceLimits.memory = BigInt(MAX_MEMORY);
ResourceLimits.disk = 0n;

/**
 * Reads a picture, and re-encodes it after some operations. Its first bytes alone determine its format, so that a file
 * which is valid in two formats is read in one. Everything but colours is left out: no metadata, and nothing after its
 * end.
 */
export function processImage({ content, operations, output, quality }: ImageJob): ProcessedImage {
  const bytes = Buffer.from(content, 'base64');
  const format = formatOf(bytes);
  const settings = new MagickReadSettings({ format: FORMATS[format], frameIndex: 0, frameCount: 1 });
  try {
    const { width, height } = MagickImageInfo.create(bytes, settings);
    checkSize(width, height);
    return ImageMagick.read(bytes, settings, (image) => {
      const before = { format, width, height, transparent: image.hasAlpha, metadata: image.profileNames };
      if (output === undefined) return { before };
      image.autoOrient();
      for (const operation of operations) OPERATIONS[operation.kind](image, operation);
      return { before, after: written(image, output, quality) };
    });
  } catch (error) {
    throw error instanceof RefusedImage ? error : inWords(error);
  }
}

/** A picture is not processed, for a reason that can be shown. */
class RefusedImage extends Error {}

// The library names positions in its source.
function inWords(error: unknown): Error {
  const reason = error instanceof Error ? (error.message.split(' `')[0] ?? '') : '';
  const isTooLarge = /exhausted|memory|AOM/i.test(reason);
  const message = isTooLarge
    ? 'The picture is too large for that; resize it first, or write JPEG or PNG'
    : `The picture is damaged: ${reason}`;
  return new Error(message, { cause: error });
}

function written(image: IMagickImage, output: ImageFormat, quality: number) {
  const colors = image.getColorProfile();
  image.strip();
  if (colors !== null) image.setProfile(colors);
  if (output === 'jpeg' && image.hasAlpha) {
    image.backgroundColor = MagickColors.White;
    image.alpha(AlphaAction.Remove);
  }
  image.quality = quality;
  const content = image.write(FORMATS[output], (data) => Buffer.from(data).toString('base64'));
  return { width: image.width, height: image.height, content };
}

const OPERATIONS: Readonly<Record<ImageOperation['kind'], (image: IMagickImage, given: ImageOperation) => void>> = {
  resize,
  crop,
  rotate: (image, { degrees = 0 }) => {
    image.backgroundColor = MagickColors.Transparent;
    image.rotate(degrees);
    image.resetPage();
  },
  flip: (image) => image.flip(),
  flop: (image) => image.flop(),
  grayscale: (image) => image.grayscale(),
};

function resize(image: IMagickImage, { width = Infinity, height = Infinity }: ImageOperation): void {
  const factor = Math.min(width / image.width, height / image.height);
  if (!Number.isFinite(factor)) throw new RefusedImage('resize needs width, or height, or both');
  const sideOf = (side: number) => Math.max(1, Math.round(side * factor));
  const geometry = new MagickGeometry(sideOf(image.width), sideOf(image.height));
  geometry.ignoreAspectRatio = true;
  checkSize(geometry.width, geometry.height);
  image.resize(geometry);
}

function crop(image: IMagickImage, { width, height, x = 0, y = 0 }: ImageOperation): void {
  if (width === undefined || height === undefined) throw new RefusedImage('crop needs width and height');
  if (x + width > image.width || y + height > image.height)
    throw new RefusedImage(`The part to crop is not within the ${image.width} x ${image.height} pixels of the picture`);
  image.crop(new MagickGeometry(x, y, width, height));
  image.resetPage();
}

function checkSize(width: number, height: number): void {
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS)
    throw new RefusedImage(
      `The picture has ${width} x ${height} pixels; at most ${MAX_PIXELS / 1e6} million are processed`,
    );
}

/** The signature in the first bytes of each format, in Latin-1. */
const SIGNATURES: readonly (readonly [format: ImageFormat, at: number, text: string])[] = [
  ['png', 0, '\u0089PNG\r\n'],
  ['jpeg', 0, '\u00ff\u00d8\u00ff'],
  ['gif', 0, 'GIF8'],
  ['webp', 8, 'WEBP'],
  ['avif', 4, 'ftypavif'],
];

/** Returns the format of a picture by its first bytes; throws for those that are not processed. */
export function formatOf(bytes: Buffer): ImageFormat {
  const start = bytes.subarray(0, 16).toString('latin1');
  const found = SIGNATURES.find(([, at, text]) => start.startsWith(text, at));
  if (found !== undefined) return found[0];
  const isDrawing = /<svg[\s>]/i.test(bytes.subarray(0, 1_000).toString('latin1'));
  throw new Error(
    isDrawing
      ? 'SVG is a drawing that may refer to other files, and is not processed; give a PNG, JPEG, WebP, AVIF or GIF'
      : 'The file is no PNG, JPEG, WebP, AVIF or GIF picture',
  );
}
