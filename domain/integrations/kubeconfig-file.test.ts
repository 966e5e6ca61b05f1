import { describe, expect, jest, test } from '@jest/globals';
import { parse } from 'yaml';
import { cpuTimeOf } from '../../test/support/cpu-time.ts';
import { readKubeconfig } from './kubeconfig-file.ts';

const LENGTH = 32_768;
const keys = (count: number, more: string) => Array.from({ length: count }, (_, index) => `k${index}${more}`).join('');

describe('the text of a kubeconfig', () => {
  test('is YAML as kubectl writes it, quoted or not, of many clusters', () => {
    const clusters = Array.from(
      { length: 40 },
      (_, index) => `- cluster:\n    server: "https://${index}.example.com"\n  name: c${index}\n`,
    );
    const text = `apiVersion: v1\n# Ours\nclusters:\n${clusters.join('')}preferences: {}\ncurrent-context: ""\n`;
    expect(readKubeconfig(text, parse)).toMatchObject({
      clusters: expect.arrayContaining([{ cluster: { server: 'https://39.example.com' }, name: 'c39' }]),
      preferences: {},
    });
  });

  test('is JSON, however many brackets it has', () => {
    const file = { clusters: Array.from({ length: 300 }, (_, index) => ({ name: `c${index}` })) };
    expect(readKubeconfig(JSON.stringify(file), parse)).toEqual(file);
  });

  test.each([
    '[',
    '{a: ',
    '- ',
    '? ',
    'a: ',
    'a:\n',
    '[]\n',
    '"',
    "'' ",
    '&a ',
    '*a ',
    '!a ',
    '|\n',
    'a:\tb\n',
    ' "\n',
  ])('is refused before it is parsed when it is %j again and again', (piece) => {
    const parseIt = jest.fn<Parameters<typeof readKubeconfig>[1]>(parse);
    expect(readKubeconfig(`a:\n ${piece.repeat(LENGTH / piece.length)}`, parseIt)).toBeUndefined();
    expect(parseIt).not.toHaveBeenCalled();
  });

  test('is parsed in no time where it is as odd as it may be', () => {
    const text = `${keys(440, ': 1\n')}${'*a >\n:  "a"'.repeat(49)}`;
    expect(cpuTimeOf(() => expect(readKubeconfig(text, parse)).toBeUndefined())).toBeLessThan(2_000);
  });
});
