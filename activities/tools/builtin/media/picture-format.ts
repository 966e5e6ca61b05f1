import type { ImageFormat } from '../../compute/job.ts';
import { ToolFailure } from '../../tool-failure.ts';

const FORMATS: Readonly<Record<string, ImageFormat>> = {
  png: 'png',
  jpg: 'jpeg',
  jpeg: 'jpeg',
  webp: 'webp',
  avif: 'avif',
};

/** Returns the format that a picture is written in, by the end of its path. */
export function pictureFormat(output: string): ImageFormat {
  const format = FORMATS[output.slice(output.lastIndexOf('.') + 1).toLowerCase()];
  if (format === undefined) throw new ToolFailure('invalid_input', 'output must end with .png, .jpg, .webp or .avif');
  return format;
}
