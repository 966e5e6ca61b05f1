import { expect, test } from '@jest/globals';
import { create } from 'fontkit';
import { CjkFonts } from './cjk-fonts.ts';

/** A font as it is looked at here. */
interface ReadFont {
  readonly characterSet: readonly number[];
  glyphForCodePoint(point: number): { readonly id: number; readonly path: { readonly commands: readonly unknown[] } };
}

async function fontsOf(text: string) {
  const fonts = new CjkFonts(text);
  const names = Array.from(text, (character) => fonts.nameOf(character));
  const made = await fonts.needed(['regular', 'bold']);
  const read = (name: string | undefined, weight: 'regular' | 'bold') => {
    const font = made.find((each) => each.name === name);
    return create(font?.[weight] ?? Buffer.of()) as unknown as ReadFont;
  };
  return { names, made, read };
}

test.each(['季度销售报告', '臺灣的繁體字', '売上がふえました、カタカナ', '분기매출이늘었습니다', '，。「」％'])(
  '%s has a glyph for each character, in both weights, and none for others',
  async (text) => {
    const { names, made, read } = await fontsOf(text);
    for (const [at, character] of Array.from(text).entries()) {
      const point = character.codePointAt(0) ?? 0;
      const glyphs = (['regular', 'bold'] as const).map((weight) => read(names[at], weight).glyphForCodePoint(point));
      for (const { id, path } of glyphs)
        expect([character, id > 0, path.commands.length > 0]).toEqual([character, true, true]);
      expect(glyphs[0]?.path.commands).not.toEqual(glyphs[1]?.path.commands);
    }
    // The last one ends the table of each font.
    const contained = made.flatMap(({ name }) =>
      read(name, 'regular').characterSet.filter((point) => point !== 0xffff),
    );
    expect(new Set(String.fromCodePoint(...contained))).toEqual(new Set(text));
  },
);

test('an ideograph is drawn as the language of its text draws it', async () => {
  const families = [];
  for (const text of ['直す', '직 直', '直接']) {
    const { names } = await fontsOf(text.replaceAll(' ', ''));
    families.push(/noto-sans-(\w\w)/.exec(names[0] ?? '')?.[1]);
  }
  expect(families).toEqual(['jp', 'kr', 'sc']);
});

test.each(['北京・上海', '二〇ー二六'])(
  'the signs of %s, which other languages have too, make no Japanese',
  async (text) => {
    const { names } = await fontsOf(text);
    expect(names[0]).toContain('noto-sans-sc');
  },
);

test('a font has the weights that are asked for', async () => {
  const fonts = new CjkFonts('季度');
  fonts.nameOf('季');
  expect(Object.keys((await fonts.needed(['regular']))[0] ?? {})).toEqual(['name', 'regular']);
});

test('there is none for what no family has', async () => {
  const { names, made } = await fontsOf('สวัสดี');
  expect([new Set(names), made]).toEqual([new Set([undefined]), []]);
});
