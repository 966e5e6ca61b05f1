import {
  AlignmentType,
  BorderStyle,
  Document,
  ExternalHyperlink,
  HeadingLevel,
  type INumberingOptions,
  type IParagraphOptions,
  type IStylesOptions,
  LevelFormat,
  Packer,
  PageBreak,
  Paragraph,
  patchDocument,
  PatchType,
  ShadingType,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  WidthType,
} from 'docx';
import { requireOfficeFile } from '../../../../core/documents/office-file.ts';
import type { DocxCreateJob } from '../document-job.ts';
import { type Block, columnShares, type Span } from './block.ts';
import { toBlocks } from './to-blocks.ts';

const CONTENT = 'content';
const TITLE = 'title';

/** Makes a Word document, or fills in a template; returns the bytes in base64. */
export async function makeDocx(job: DocxCreateJob, template: Buffer): Promise<{ readonly file: string }> {
  const bytes = template.length === 0 ? await newDocument(job) : await filledTemplate(job, template);
  return { file: bytes.toString('base64') };
}

async function newDocument(job: DocxCreateJob): Promise<Buffer> {
  const blocks = toBlocks(job);
  const hasTitle = job.title !== '' && blocks[0]?.type !== 'heading';
  const titled = hasTitle ? [{ type: 'heading' as const, level: 1, spans: [{ text: job.title }] }, ...blocks] : blocks;
  const children = new DocxWriter({ hasNumbering: true }).childrenOf(titled);
  const document = new Document({
    title: job.title,
    creator: 'Everturn',
    styles: DOCX_STYLES,
    numbering: NUMBERING,
    sections: [{ children }],
  });
  return Packer.toBuffer(document);
}

// A template has the styles of its own, and no numbering for lists.
async function filledTemplate(job: DocxCreateJob, template: Buffer): Promise<Buffer> {
  requireOfficeFile(template, 'document');
  const values = { [TITLE]: job.title, ...job.values };
  const texts = Object.entries(values).map(
    ([name, text]) => [name, { type: PatchType.PARAGRAPH, children: [new TextRun(text)] }] as const,
  );
  const children = new DocxWriter({ hasNumbering: false }).childrenOf(toBlocks(job));
  const content = [CONTENT, { type: PatchType.DOCUMENT, children }] as const;
  try {
    return await patchDocument({
      outputType: 'nodebuffer',
      data: template,
      patches: Object.fromEntries([...texts, content]),
      keepOriginalStyles: true,
    });
  } catch (error) {
    throw new Error(
      'The template could not be filled in; it must be a Word document with placeholders such as {{content}}',
      {
        cause: error,
      },
    );
  }
}

type Child = Paragraph | Table;

/** The context of a block. */
interface BlockContext {
  /** How many lists and quotes enclose it. */
  readonly depth: number;
  readonly isQuote: boolean;
}

const HEADINGS = [
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6,
];
const ALIGNMENTS = { left: AlignmentType.LEFT, center: AlignmentType.CENTER, right: AlignmentType.RIGHT } as const;
const INDENT = 360;
/** The width of the text of an A4 page with the usual margins, in twentieths of a point. */
const TEXT_WIDTH = 9_026;
const BORDER = { style: BorderStyle.SINGLE, size: 4, color: 'C4CAD2' } as const;
const SHADE = { type: ShadingType.CLEAR, fill: 'F2F4F7', color: 'auto' } as const;
const MONO = 'Consolas';

/** Turns the parts of a document into paragraphs and tables. */
export class DocxWriter {
  readonly #hasNumbering: boolean;
  #lists = 0;

  /** Without a numbering of the document, the marks of lists are texts. */
  constructor({ hasNumbering }: { readonly hasNumbering: boolean }) {
    this.#hasNumbering = hasNumbering;
  }

  childrenOf(blocks: readonly Block[]): Child[] {
    const children = this.#all(blocks, { depth: 0, isQuote: false });
    // Word wants a paragraph at the end.
    return children.at(-1) instanceof Paragraph ? children : [...children, new Paragraph({})];
  }

  #all(blocks: readonly Block[], context: BlockContext): Child[] {
    return blocks.flatMap((block) => this.#one(block, context));
  }

  #one(block: Block, context: BlockContext): Child[] {
    switch (block.type) {
      case 'heading': {
        const heading = HEADINGS[block.level - 1] ?? HeadingLevel.HEADING_6;
        return [new Paragraph({ heading, children: runsOf(block.spans) })];
      }
      case 'paragraph':
        return [new Paragraph({ ...styleOf(context), children: runsOf(block.spans) })];
      case 'list':
        return this.#list(block, context);
      case 'table':
        return [tableOf(block), new Paragraph({ spacing: { after: 60 } })];
      case 'code':
        return [codeOf(block.text, context)];
      case 'quote':
        return this.#all(block.blocks, { depth: context.depth + 1, isQuote: true });
      case 'line':
        return [new Paragraph({ border: { bottom: { ...BORDER, space: 1 } } })];
      case 'page_break':
        break;
    }
    return [new Paragraph({ children: [new PageBreak()] })];
  }

  #list({ ordered, start, items }: Extract<Block, { type: 'list' }>, context: BlockContext): Child[] {
    this.#lists += 1;
    const instance = this.#lists;
    // The library's numbers begin with 1.
    const isNumbered = this.#hasNumbering && (!ordered || start === 1);
    return items.flatMap((item, at) => {
      const [first, ...rest] = item;
      const spans = first?.type === 'paragraph' ? first.spans : [];
      const others = first?.type === 'paragraph' ? rest : item;
      const mark = ordered ? `${start + at}.` : '•';
      const options: IParagraphOptions = isNumbered
        ? { numbering: { reference: ordered ? NUMBERS : BULLETS, level: Math.min(context.depth, 8), instance } }
        : { indent: { left: INDENT * (context.depth + 1), hanging: INDENT } };
      const children = isNumbered ? runsOf(spans) : [new TextRun(`${mark}\t`), ...runsOf(spans)];
      return [
        new Paragraph({ ...options, spacing: { after: 60 }, children }),
        ...this.#all(others, { ...context, depth: context.depth + 1 }),
      ];
    });
  }
}

function styleOf({ depth, isQuote }: BlockContext): IParagraphOptions {
  return {
    ...(depth > 0 && { indent: { left: INDENT * depth } }),
    ...(isQuote && { border: { left: { ...BORDER, size: 18, space: 8 } } }),
  };
}

function runsOf(spans: readonly Span[]): (TextRun | ExternalHyperlink)[] {
  return spans.flatMap(({ link, ...span }): (TextRun | ExternalHyperlink)[] => {
    const runs = textRuns(span, link !== undefined);
    return link === undefined ? runs : [new ExternalHyperlink({ link, children: runs })];
  });
}

function textRuns({ text, bold, italic, strike, code }: Span, isLink = false): TextRun[] {
  return text.split('\n').map(
    (line, at) =>
      new TextRun({
        text: line,
        ...(at > 0 && { break: 1 }),
        ...(bold === true && { bold }),
        ...(italic === true && { italics: true }),
        ...(strike === true && { strike }),
        ...(code === true && { font: MONO, size: 19 }),
        ...(isLink && { style: 'Hyperlink' }),
      }),
  );
}

function codeOf(text: string, context: BlockContext): Paragraph {
  return new Paragraph({ ...styleOf(context), shading: SHADE, children: textRuns({ text, code: true }) });
}

function tableOf({ rows, align }: Extract<Block, { type: 'table' }>): Table {
  const shares = columnShares(rows.map((row) => row.map((cell) => cell.map(({ text }) => text).join(''))));
  const widths = shares.map((share) => Math.floor((TEXT_WIDTH * share) / 100));
  const cellOf = (spans: readonly Span[], column: number, isHead: boolean) =>
    new TableCell({
      width: { size: widths[column] ?? 0, type: WidthType.DXA },
      margins: { top: 40, bottom: 40, left: 90, right: 90 },
      ...(isHead && { shading: SHADE }),
      children: [
        new Paragraph({
          alignment: ALIGNMENTS[align[column] ?? 'left'],
          spacing: { after: 0 },
          children: runsOf(isHead ? spans.map((span) => ({ ...span, bold: true })) : spans),
        }),
      ],
    });
  return new Table({
    layout: TableLayoutType.FIXED,
    width: { size: TEXT_WIDTH, type: WidthType.DXA },
    columnWidths: widths,
    borders: {
      top: BORDER,
      bottom: BORDER,
      left: BORDER,
      right: BORDER,
      insideHorizontal: BORDER,
      insideVertical: BORDER,
    },
    rows: rows.map(
      (row, line) =>
        new TableRow({
          ...(line === 0 && { tableHeader: true }),
          cantSplit: true,
          children: row.map((cell, column) => cellOf(cell, column, line === 0)),
        }),
    ),
  });
}

/** The names of the lists' numberings. */
export const BULLETS = 'bullets';
export const NUMBERS = 'numbers';

const LEVELS = 9;
const FONT = 'Calibri';
const SIZES = [36, 30, 26, 24, 22, 22];
const heading = (level: number) => ({
  run: { font: FONT, bold: true, size: SIZES[level - 1] ?? 22, color: '1F2933' },
  paragraph: { spacing: { before: level === 1 ? 240 : 200, after: 100 }, keepNext: true },
});

/** The styles of a document that has no template. */
export const DOCX_STYLES: IStylesOptions = {
  default: {
    document: { run: { font: FONT, size: 22 }, paragraph: { spacing: { after: 120, line: 269 } } },
    heading1: heading(1),
    heading2: heading(2),
    heading3: heading(3),
    heading4: heading(4),
    heading5: heading(5),
    heading6: heading(6),
    hyperlink: { run: { color: '1A56A8', underline: {} } },
  },
};

const levels = (
  format: (level: number) => { readonly format: (typeof LevelFormat)[keyof typeof LevelFormat]; readonly text: string },
) =>
  Array.from({ length: LEVELS }, (_, level) => ({
    level,
    ...format(level),
    alignment: AlignmentType.LEFT,
    style: { paragraph: { indent: { left: INDENT * (level + 1), hanging: INDENT } } },
  }));

export const NUMBERING: INumberingOptions = {
  config: [
    {
      reference: BULLETS,
      levels: levels((level) => ({ format: LevelFormat.BULLET, text: level % 2 === 0 ? '•' : '–' })),
    },
    { reference: NUMBERS, levels: levels((level) => ({ format: LevelFormat.DECIMAL, text: `%${level + 1}.` })) },
  ],
};
