import {
  AlignmentType,
  BorderStyle,
  ExternalHyperlink,
  HeadingLevel,
  type IParagraphOptions,
  PageBreak,
  Paragraph,
  ShadingType,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  WidthType,
} from 'docx';
import type { Block, Span } from './block.ts';
import { columnShares } from './column-shares.ts';
import { BULLETS, NUMBERS } from './docx-styles.ts';

type Child = Paragraph | Table;

/** Where a block stands. */
interface Place {
  /** How many lists and quotes it stands in. */
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

  #all(blocks: readonly Block[], place: Place): Child[] {
    return blocks.flatMap((block) => this.#one(block, place));
  }

  #one(block: Block, place: Place): Child[] {
    switch (block.type) {
      case 'heading': {
        const heading = HEADINGS[block.level - 1] ?? HeadingLevel.HEADING_6;
        return [new Paragraph({ heading, children: runsOf(block.spans) })];
      }
      case 'paragraph':
        return [new Paragraph({ ...styleOf(place), children: runsOf(block.spans) })];
      case 'list':
        return this.#list(block, place);
      case 'table':
        return [tableOf(block), new Paragraph({ spacing: { after: 60 } })];
      case 'code':
        return [codeOf(block.text, place)];
      case 'quote':
        return this.#all(block.blocks, { depth: place.depth + 1, isQuote: true });
      case 'line':
        return [new Paragraph({ border: { bottom: { ...BORDER, space: 1 } } })];
      case 'page_break':
        break;
    }
    return [new Paragraph({ children: [new PageBreak()] })];
  }

  #list({ ordered, start, items }: Extract<Block, { type: 'list' }>, place: Place): Child[] {
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
        ? { numbering: { reference: ordered ? NUMBERS : BULLETS, level: Math.min(place.depth, 8), instance } }
        : { indent: { left: INDENT * (place.depth + 1), hanging: INDENT } };
      const children = isNumbered ? runsOf(spans) : [new TextRun(`${mark}\t`), ...runsOf(spans)];
      return [
        new Paragraph({ ...options, spacing: { after: 60 }, children }),
        ...this.#all(others, { ...place, depth: place.depth + 1 }),
      ];
    });
  }
}

function styleOf({ depth, isQuote }: Place): IParagraphOptions {
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

function codeOf(text: string, place: Place): Paragraph {
  return new Paragraph({ ...styleOf(place), shading: SHADE, children: textRuns({ text, code: true }) });
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
