import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { create, type Font } from 'fontkit';
import { CjkFonts, type NeededFont } from '../../fonts/cjk-fonts.ts';
import type { Span } from './block.ts';

const require = createRequire(import.meta.url);
const ROBOTO = join(dirname(require.resolve('pdfmake/package.json')), 'fonts', 'Roboto');
const DEJAVU = join(dirname(require.resolve('dejavu-fonts-ttf/package.json')), 'ttf');

/** The fonts of PDFs by name: that of texts, that of code, and one for characters that the others lack. */
export const FONTS = {
  Roboto: {
    normal: join(ROBOTO, 'Roboto-Regular.ttf'),
    bold: join(ROBOTO, 'Roboto-Medium.ttf'),
    italics: join(ROBOTO, 'Roboto-Italic.ttf'),
    bolditalics: join(ROBOTO, 'Roboto-MediumItalic.ttf'),
  },
  Mono: {
    normal: join(DEJAVU, 'DejaVuSansMono.ttf'),
    bold: join(DEJAVU, 'DejaVuSansMono-Bold.ttf'),
    italics: join(DEJAVU, 'DejaVuSansMono-Oblique.ttf'),
    bolditalics: join(DEJAVU, 'DejaVuSansMono-BoldOblique.ttf'),
  },
  DejaVu: {
    normal: join(DEJAVU, 'DejaVuSans.ttf'),
    bold: join(DEJAVU, 'DejaVuSans-Bold.ttf'),
    italics: join(DEJAVU, 'DejaVuSans-Oblique.ttf'),
    bolditalics: join(DEJAVU, 'DejaVuSans-BoldOblique.ttf'),
  },
} as const;

type OwnFont = keyof typeof FONTS;

/** Scripts that are written from right to left, which the layout does not know. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/u;
const MAX_NAMED = 20;

/** Chooses a font that has the characters of a document. */
export class FontChoice {
  readonly #loaded = new Map<OwnFont, Font>();
  readonly #lacking = new Set<string>();
  readonly #cjk: CjkFonts;

  /** `text` is that of the whole document: it tells what language it is in. */
  constructor(text: string) {
    this.#cjk = new CjkFonts(text);
  }

  /** Splits a text into pieces that one font has; `first` is taken where it can. */
  split(text: string, first: 'Roboto' | 'Mono'): { readonly text: string; readonly font: string }[] {
    const pieces: { text: string; font: string }[] = [];
    for (const character of text) {
      const font = this.#fontOf(character, first);
      const last = pieces.at(-1);
      if (last?.font === font) last.text += character;
      else pieces.push({ text: character, font });
    }
    return pieces;
  }

  /** Returns the fonts that were chosen beside those in `FONTS`; throws when a text had characters that no font has. */
  async needed(): Promise<readonly NeededFont[]> {
    if (this.#lacking.size === 0) return this.#cjk.needed(['regular', 'bold']);
    const named = [...this.#lacking].slice(0, MAX_NAMED).join(' ');
    throw new Error(
      `PDFs can be written in Latin, Greek, Cyrillic, Armenian, Georgian, Chinese, Japanese, Korean and symbols only, and not with: ${named}. Leave them out, or write a Word document with docx_create`,
    );
  }

  #fontOf(character: string, first: 'Roboto' | 'Mono'): string {
    const point = character.codePointAt(0) ?? 0;
    if (point <= 0x20) return first;
    if (!RIGHT_TO_LEFT.test(character)) {
      for (const name of [first, 'DejaVu'] as const) if (this.#load(name).hasGlyphForCodePoint(point)) return name;
      const name = this.#cjk.nameOf(character);
      if (name !== undefined) return name;
    }
    this.#lacking.add(character);
    return first;
  }

  #load(name: OwnFont): Font {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const font = create(readFileSync(FONTS[name].normal));
    this.#loaded.set(name, font);
    return font;
  }
}

/** Returns the font that a piece of text would best be in. */
export function firstFont({ code }: Span): 'Roboto' | 'Mono' {
  return code === true ? 'Mono' : 'Roboto';
}
