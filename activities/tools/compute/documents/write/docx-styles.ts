import { AlignmentType, type INumberingOptions, type IStylesOptions, LevelFormat } from 'docx';

/** The names of the lists' numberings. */
export const BULLETS = 'bullets';
export const NUMBERS = 'numbers';

const LEVELS = 9;
/** Twentieths of a point. */
const INDENT = 360;
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
