import { readFileSync } from 'node:fs';

/** The used part of HarfBuzz, whose arguments and results are addresses in its memory. */
interface HarfBuzz {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
  malloc(bytes: number): number;
  free(address: number): void;
  hb_blob_create(data: number, length: number, mode: number, user: number, destroy: number): number;
  hb_blob_get_data(blob: number, length: number): number;
  hb_blob_get_length(blob: number): number;
  hb_blob_destroy(blob: number): void;
  hb_face_create(blob: number, index: number): number;
  hb_face_reference_blob(face: number): number;
  hb_face_destroy(face: number): void;
  hb_set_add(set: number, member: number): void;
  hb_subset_input_create_or_fail(): number;
  hb_subset_input_unicode_set(input: number): number;
  hb_subset_input_pin_axis_location(input: number, face: number, axis: number, value: number): number;
  hb_subset_input_destroy(input: number): void;
  hb_subset_or_fail(face: number, input: number): number;
}

const WRITABLE = 2;
const WEIGHT_AXIS = Buffer.from('wght').readUInt32BE();

const { instance } = await WebAssembly.instantiate(
  readFileSync(new URL(import.meta.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'))),
);
const hb = instance.exports as HarfBuzz;
hb._initialize();

/**
 * Returns of a font with many weights the glyphs of these characters in one weight, as a font of its own. Throws when
 * the file is no font, or takes more memory than there is.
 */
export function subsetFont(font: Uint8Array, characters: Iterable<string>, weight: number): Buffer {
  const bytes = required(hb.malloc(font.length));
  // The memory may grow with each call, which makes a view of it useless.
  new Uint8Array(hb.memory.buffer).set(font, bytes);
  const blob = hb.hb_blob_create(bytes, font.length, WRITABLE, 0, 0);
  const face = hb.hb_face_create(blob, 0);
  const input = hb.hb_subset_input_create_or_fail();
  let subset = 0;
  try {
    const points = hb.hb_subset_input_unicode_set(required(input));
    for (const character of characters) hb.hb_set_add(points, character.codePointAt(0) ?? 0);
    hb.hb_subset_input_pin_axis_location(input, face, WEIGHT_AXIS, weight);
    subset = required(hb.hb_subset_or_fail(face, input));
    return bytesOf(subset);
  } finally {
    // The address 0, of an object that could not be created, is accepted by each of these.
    hb.hb_subset_input_destroy(input);
    for (const each of [subset, face]) hb.hb_face_destroy(each);
    hb.hb_blob_destroy(blob);
    hb.free(bytes);
  }
}

function bytesOf(face: number): Buffer {
  const blob = hb.hb_face_reference_blob(face);
  const bytes = new Uint8Array(hb.memory.buffer, hb.hb_blob_get_data(blob, 0), hb.hb_blob_get_length(blob));
  const copy = Buffer.from(bytes);
  hb.hb_blob_destroy(blob);
  return copy;
}

function required(address: number): number {
  if (address === 0) throw new Error('The fonts for the text cannot be made, perhaps for want of memory');
  return address;
}
