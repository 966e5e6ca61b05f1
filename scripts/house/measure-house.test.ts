import { describe, expect, test } from '@jest/globals';

import { measureHouse } from './measure-house.ts';

const code = (text: string, path = 'api/chats/a.ts') => measureHouse([{ path, text }]);

describe('the figures of the house', () => {
  test('count the lines of production code, not those of tests', () => {
    const house = measureHouse([
      { path: 'api/a.ts', text: 'export const a = 1;\nexport const b = 2;\n' },
      { path: 'api/a.test.ts', text: 'one;\ntwo;\nthree;\n' },
      { path: 'test/support/b.ts', text: 'one;\n' },
      { path: 'scripts/d.ts', text: 'one;\n' },
    ]);
    expect(house).toMatchObject({ files: 1, lines: 2, testLines: 3, supportLines: 1 });
  });

  test('take the share of comments from the lines that are not blank', () => {
    const { commentShare, jsdocShare } = code(
      '/**\n * Says.\n */\n\n// Why.\nconst url = "https://a.example"; // not a line\n',
    );
    expect(commentShare).toBeCloseTo(4 / 5);
    expect(jsdocShare).toBeCloseTo(3 / 4);
  });

  test('find what the compiler is talked out of, and leave `as const` alone', () => {
    const text = `
      const kinds = ['a'] as const;
      const value = given as unknown as any;
      const first = list[0]!;
      const rows = (results ?? []) as Row[];
      await pool.query<Row>('select 1');
      export default kinds;
    `;
    expect(code(text)).toMatchObject({ casts: 3, hiddenCasts: 2, any: 1, nonNull: 1, defaultExports: 1 });
  });

  test('tell bare errors from named ones, and leave out what is thrown on', () => {
    const text = `
      throw new Error('a');
      throw new AppError('b');
      throw error;
    `;
    expect(code(text)).toMatchObject({ throwsNew: 2, throwsNewError: 1 });
  });

  test('measure functions of three lines or more, and count the parameters of all', () => {
    const text = `
      const short = (a, b, c, d) => a;
      function long() {
        return 1;
      }
      class Thing {
        method(a, b, c) {
          return [
            a, b, c,
          ];
        }
      }
    `;
    expect(code(text)).toMatchObject({
      linesPerFunction: { median: 5, p95: 5, max: 5 },
      functionsOfManyParameters: 1,
    });
  });

  test('count a title once, however its test is declared', () => {
    const text = `
      test('a', () => {});
      test.each([1])('it should b', () => {});
      it.skip('c', () => {});
      describe('d', () => {});
      /x/.test('e');
    `;
    expect(code(text, 'api/a.test.ts')).toMatchObject({ titles: 3, titlesWithShould: 1 });
  });

  test('name the folders that hold more than twelve files', () => {
    const files = Array.from({ length: 13 }, (_, at) => ({ path: `bench/a/${at}.ts`, text: '' }));
    expect(measureHouse(files).crowdedFolders).toEqual(['bench/a (13)']);
    expect(measureHouse(files.slice(1)).crowdedFolders).toEqual([]);
  });
});
