import { readFileSync } from 'node:fs';

/**
 * The fonts for Chinese, Japanese and Korean, which draw the same characters differently: of each the list that says
 * which characters its files have.
 */
const LISTS = {
  sc: import.meta.resolve('@fontsource-variable/noto-sans-sc/unicode.json'),
  jp: import.meta.resolve('@fontsource-variable/noto-sans-jp/unicode.json'),
  kr: import.meta.resolve('@fontsource-variable/noto-sans-kr/unicode.json'),
};
type Family = keyof typeof LISTS;

/** A file of a font, whose name is that of the font which is made of it. */
interface FontFile {
  readonly name: string;
  readonly url: URL;
}

/** Finds characters of these languages, which are as wide as they are high. */
export const CJK = /[\u1100-\u11FF\u2E80-\uD7FF\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFFEF\u{20000}-\u{3FFFF}]/gu;
const KANA = /[\u3041-\u3096\u30A1-\u30FA]/;
const HANGUL = /[\u1100-\u11FF\uAC00-\uD7A3]/;

const WEIGHTS = { regular: 400, bold: 700 };
type Weight = keyof typeof WEIGHTS;

/** A font in some weights that contains only the glyphs of a text. */
export type NeededFont<Needed extends Weight = Weight> = Readonly<Record<Needed, Buffer>> & {
  /** As `nameOf` has named it. */
  readonly name: string;
};

/**
 * Chooses fonts for the characters of a text that is partly Chinese, Japanese or Korean. A family comes in some hundred
 * files of characters that often occur together; a file is only read for a character that is asked for.
 */
export class CjkFonts {
  readonly #families: readonly Family[];
  readonly #files = new Map<Family, ReadonlyMap<number, FontFile>>();
  /** The characters that were asked for, by the file that has them. */
  readonly #needed = new Map<FontFile, Set<string>>();

  /** `text` decides the language: kana make it Japanese, Hangul Korean, and anything else Chinese. */
  constructor(text: string) {
    const spoken: Family[] = [];
    if (KANA.test(text)) spoken.push('jp');
    if (HANGUL.test(text)) spoken.push('kr');
    this.#families = [...new Set<Family>([...spoken, 'sc', 'jp', 'kr'])];
  }

  /** Returns the name of the font for a character, which it needs from now on; `undefined` when there is none. */
  nameOf(character: string): string | undefined {
    const point = character.codePointAt(0) ?? 0;
    for (const family of this.#families) {
      const file = this.#filesOf(family).get(point);
      if (file === undefined) continue;
      const needed = this.#needed.get(file) ?? new Set();
      this.#needed.set(file, needed.add(character));
      return file.name;
    }
    return undefined;
  }

  /** Returns the fonts for all characters that were asked for, in these weights. */
  async needed<Needed extends Weight>(weights: readonly Needed[]): Promise<readonly NeededFont<Needed>[]> {
    if (this.#needed.size === 0) return [];
    const { woff2Decode } = await import('woff-lib/woff2/decode');
    const { subsetFont } = await import('./subset-font.ts');
    const made: NeededFont<Needed>[] = [];
    // One after the other, so that no more than one decoded file is in memory.
    for (const [{ name, url }, characters] of this.#needed) {
      const font = await woff2Decode(readFileSync(url));
      const subsets = weights.map((weight) => [weight, subsetFont(font, characters, WEIGHTS[weight])] as const);
      made.push({ name, ...(Object.fromEntries(subsets) as Record<Needed, Buffer>) });
    }
    return made;
  }

  #filesOf(family: Family): ReadonlyMap<number, FontFile> {
    const known = this.#files.get(family);
    if (known !== undefined) return known;
    const files = readFiles(family);
    this.#files.set(family, files);
    return files;
  }
}

// Each file has ranges of characters: `"[4]": "U+4e00-4e0f,U+4e11"`.
function readFiles(family: Family): ReadonlyMap<number, FontFile> {
  const list = new URL(LISTS[family]);
  const ranges = JSON.parse(readFileSync(list, 'utf8')) as Readonly<Record<string, string>>;
  const files = new Map<number, FontFile>();
  for (const [key, listed] of Object.entries(ranges)) {
    const name = `noto-sans-${family}-${key.replaceAll(/[[\]]/g, '')}`;
    const file = { name, url: new URL(`files/${name}-wght-normal.woff2`, list) };
    for (const range of listed.split(',')) {
      const [first = 0, last = first] = range
        .replace('U+', '')
        .split('-')
        .map((end) => Number.parseInt(end, 16));
      for (let point = first; point <= last; point += 1) files.set(point, file);
    }
  }
  return files;
}
