import { readFileSync } from 'node:fs';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { CJK, CjkFonts } from '../fonts/cjk-fonts.ts';

/** Pixels for each unit of the drawing, for screens of high density. */
const SCALE = 2;

const read = (url: string) => readFileSync(new URL(url));

// Those of the machine are not read, so that a picture is the same everywhere. The last one has signs that the others
// lack.
const FONTS = [
  import.meta.resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf'),
  import.meta.resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf'),
  import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
].map(read);

await initWasm(read(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm')));

/** Draws an SVG as PNG, in base64. */
export async function renderPng(svg: string): Promise<string> {
  const fonts = new CjkFonts(svg);
  for (const [character] of svg.matchAll(CJK)) fonts.nameOf(character);
  const needed = await fonts.needed(['regular']);
  const fontBuffers = [...FONTS, ...needed.map(({ regular }) => regular)];
  const font = { fontBuffers, defaultFontFamily: 'Arimo', sansSerifFamily: 'Arimo' };
  const picture = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: SCALE } }).render();
  return Buffer.from(picture.asPng()).toString('base64');
}
