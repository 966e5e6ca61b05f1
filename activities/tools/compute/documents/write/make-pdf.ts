import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { create, type Font } from 'fontkit';
import pdfmake, { type Content, type Text } from 'pdfmake';
import { CjkFonts, type NeededFont } from '../../fonts/cjk-fonts.ts';
import type { PdfCreateJob } from '../document-job.ts';
import { type Block, columnShares, type Span } from './block.ts';
import { toBlocks } from './to-blocks.ts';

const MARGIN = 56;
const BODY = 10.5;
const HEADINGS = [22, 17, 14, 12, 11, 10.5];
const [GREY, RULE, SHADE, LINK] = ['#555555', '#C4CAD2', '#F2F4F7', '#1A56A8'];
/** A word that is longer than its line would run into its neighbour, so it may be broken anywhere. */
const LONG_WORD = 20;
const CUT_WORD = 200;

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

const FONT_FILES: ReadonlySet<string> = new Set(Object.values(FONTS).flatMap((font) => Object.values<string>(font)));

/** Makes a PDF; returns the bytes in base64, and the number of its pages. */
export async function makePdf(job: PdfCreateJob): Promise<{ readonly file: string; readonly pages: number }> {
  const writer = new PdfWriter(job);
  const content = writer.contentOf(toBlocks(job), job.title);
  pdfmake.setFonts({ ...FONTS, ...(await writer.madeFonts(job.title)) });
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((path) => FONT_FILES.has(path));
  let pages = 0;
  const document = pdfmake.createPdf({
    pageSize: job.pageSize.toUpperCase(),
    pageOrientation: job.landscape ? 'landscape' : 'portrait',
    pageMargins: [MARGIN, MARGIN, MARGIN, MARGIN + 4],
    info: { title: job.title, creator: 'Everturn', producer: 'Everturn' },
    defaultStyle: { font: 'Roboto', fontSize: BODY, lineHeight: 1.25 },
    content,
    footer: (page, count) => {
      pages = count;
      return { text: `${page} / ${count}`, alignment: 'center', fontSize: 8.5, color: GREY, margin: [0, 20, 0, 0] };
    },
    // Keeps a heading with the text below it.
    pageBreakBefore: (node, more) => node.headlineLevel !== undefined && more.getFollowingNodesOnPage().length === 0,
  });
  return { file: Buffer.from(await document.getBuffer()).toString('base64'), pages };
}

/** Turns the parts of a document into those of the library. */
class PdfWriter {
  readonly #fonts: FontChoice;

  constructor(job: PdfCreateJob) {
    this.#fonts = new FontChoice(JSON.stringify(job));
  }

  /** Makes the fonts that the content needs beside the own ones; throws when there is a character that no font has. */
  async madeFonts(title: string) {
    this.#fonts.split(title, 'Roboto');
    const made = await this.#fonts.needed();
    return Object.fromEntries(
      made.map(({ name, regular, bold }) => {
        const [normal, strong] = [`${name}/regular`, `${name}/bold`];
        pdfmake.virtualfs.writeFileSync(normal, regular);
        pdfmake.virtualfs.writeFileSync(strong, bold);
        return [name, { normal, bold: strong, italics: normal, bolditalics: strong }];
      }),
    );
  }

  contentOf(blocks: readonly Block[], title: string): Content[] {
    const head: Content[] =
      title === '' || blocks[0]?.type === 'heading'
        ? []
        : [this.#heading({ type: 'heading', level: 1, spans: [{ text: title }] })];
    return [...head, ...this.#all(blocks)];
  }

  #all(blocks: readonly Block[]): Content[] {
    return blocks.map((block) => this.#one(block));
  }

  #one(block: Block): Content {
    switch (block.type) {
      case 'heading':
        return this.#heading(block);
      case 'paragraph':
        return { text: this.#texts(block.spans), margin: [0, 0, 0, 7] };
      case 'list':
        return this.#list(block);
      case 'table':
        return this.#table(block);
      case 'code':
        return boxed({ text: this.#texts([{ text: block.text, code: true }]), preserveLeadingSpaces: true }, SHADE);
      case 'quote':
        return quoted(this.#all(block.blocks));
      case 'line':
        return {
          table: { widths: ['*'], body: [[{ text: '' }]] },
          layout: { hLineWidth: (at) => (at === 0 ? 0.75 : 0), vLineWidth: () => 0, hLineColor: () => RULE },
          margin: [0, 6, 0, 6],
        };
      case 'page_break':
        break;
    }
    return { text: '', pageBreak: 'after' };
  }

  #heading({ level, spans }: Extract<Block, { type: 'heading' }>): Text {
    const bold = spans.map((span) => ({ ...span, bold: true }));
    return {
      text: this.#texts(bold),
      fontSize: HEADINGS[level - 1] ?? BODY,
      lineHeight: 1.15,
      margin: [0, level === 1 ? 4 : 10, 0, level === 1 ? 10 : 5],
      headlineLevel: level,
      outline: true,
    };
  }

  #list({ ordered, start, items }: Extract<Block, { type: 'list' }>): Content {
    const stacks: Content[] = items.map((item) => ({ stack: this.#all(item), margin: [0, 0, 0, -3] }));
    const margin = [6, 0, 0, 7] as const;
    return ordered ? { ol: stacks, start, margin } : { ul: stacks, margin };
  }

  #table({ rows, align }: Extract<Block, { type: 'table' }>): Content {
    const shares = columnShares(rows.map((row) => row.map((cell) => cell.map(({ text }) => text).join(''))));
    const fontSize = shares.length > 10 ? 7 : shares.length > 6 ? 8.5 : 9.5;
    const body = rows.map((row, line) =>
      row.map((cell, column) => ({
        text: this.#texts(line === 0 ? cell.map((span) => ({ ...span, bold: true })) : cell, true),
        alignment: align[column] ?? 'left',
        fontSize,
      })),
    );
    return {
      table: {
        headerRows: 1,
        keepWithHeaderRows: 1,
        dontBreakRows: true,
        widths: shares.map((share) => `${share}%`),
        body,
      },
      layout: {
        hLineWidth: () => 0.5,
        vLineWidth: () => 0.5,
        hLineColor: () => RULE,
        vLineColor: () => RULE,
        fillColor: (line) => (line === 0 ? SHADE : null),
        paddingTop: () => 3,
        paddingBottom: () => 2,
      },
      margin: [0, 3, 0, 10],
    };
  }

  #texts(spans: readonly Span[], isNarrow = false): Text[] {
    return spans.flatMap((span) =>
      this.#fonts
        .split(span.text, firstFont(span))
        .flatMap(({ text, font }) => withLongWords(text, isNarrow).map((run) => ({ ...run, font, ...styleOf(span) }))),
    );
  }
}

function styleOf({ bold, italic, strike, code, link }: Span): Omit<Text, 'text'> {
  return {
    ...(bold === true && { bold }),
    ...(italic === true && { italics: true }),
    ...(strike === true && { decoration: 'lineThrough' as const }),
    ...(code === true && { fontSize: 9 }),
    ...(link !== undefined && { link, color: LINK, decoration: 'underline' as const }),
  };
}

// The library breaks only texts that are marked so, and these it breaks anywhere.
function withLongWords(text: string, isNarrow: boolean): { text: string; wordBreak?: 'break-all' }[] {
  const longest = isNarrow ? LONG_WORD / 2 : LONG_WORD * 3;
  const runs: { text: string; wordBreak?: 'break-all' }[] = [];
  for (const word of text.split(/(?<=\s)/)) {
    const last = runs.at(-1);
    const isLong = word.length > longest;
    if (isLong) runs.push(...cutWord(word).map((text) => ({ text, wordBreak: 'break-all' as const })));
    else if (last !== undefined && last.wordBreak === undefined) last.text += word;
    else runs.push({ text: word });
  }
  return runs;
}

// The library takes long to break a long text, in proportion to the square of its length.
function cutWord(word: string): string[] {
  const characters = Array.from(word);
  const count = Math.ceil(characters.length / CUT_WORD);
  return Array.from({ length: count }, (_, at) => characters.slice(at * CUT_WORD, (at + 1) * CUT_WORD).join(''));
}

function boxed(content: Content, fillColor: string): Content {
  return {
    table: { widths: ['*'], body: [[content]] },
    layout: {
      hLineWidth: () => 0,
      vLineWidth: () => 0,
      fillColor: () => fillColor,
      paddingLeft: () => 8,
      paddingRight: () => 8,
      paddingTop: () => 6,
      paddingBottom: () => 6,
    },
    margin: [0, 2, 0, 9],
  };
}

function quoted(stack: Content[]): Content {
  return {
    table: { widths: ['*'], body: [[{ stack, color: GREY }]] },
    layout: {
      hLineWidth: () => 0,
      vLineWidth: (at) => (at === 0 ? 2 : 0),
      vLineColor: () => RULE,
      paddingLeft: () => 10,
      paddingTop: () => 2,
      paddingBottom: () => 0,
    },
    margin: [0, 2, 0, 8],
  };
}

type OwnFont = keyof typeof FONTS;

/** Scripts that are written from right to left, which the layout does not know. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/u;
const MAX_NAMED = 20;

/** Chooses a font that has the characters of a document. */
export class FontChoice {
  readonly #loaded = new Map<OwnFont, Font>();
  readonly #lacking = new Set<string>();
  readonly #cjk: CjkFonts;

  /** `text` is that of the whole document, which decides its language. */
  constructor(text: string) {
    this.#cjk = new CjkFonts(text);
  }

  /** Splits a text into runs that one font has; `first` is taken where it can. */
  split(text: string, first: 'Roboto' | 'Mono'): { readonly text: string; readonly font: string }[] {
    const runs: { text: string; font: string }[] = [];
    for (const character of text) {
      const font = this.#fontOf(character, first);
      const last = runs.at(-1);
      if (last?.font === font) last.text += character;
      else runs.push({ text: character, font });
    }
    return runs;
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

/** Returns the font that a run of text would best be in. */
export function firstFont({ code }: Span): 'Roboto' | 'Mono' {
  return code === true ? 'Mono' : 'Roboto';
}
