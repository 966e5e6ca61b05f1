import { expect, test } from '@jest/globals';
import { prepareCall } from '../../../../test/support/tool-context.ts';
import { audioTranscribe } from './audio-transcribe.ts';
import { imageGenerate } from './images.ts';

test('pictures are never made twice, and many of them wait for a person', () => {
  const asked = [1, 2, 3, 4].map((n) => prepareCall(imageGenerate, { prompt: 'a cat', output: 'a.png', n }));
  expect(asked.map(({ approval }) => approval)).toEqual(['never', 'never', 'writes', 'writes']);
  expect(new Set(asked.map(({ effect }) => effect))).toEqual(new Set(['once']));
  expect(() => prepareCall(imageGenerate, { prompt: 'a cat', output: 'a.png', n: 5 })).toThrow('n must');
});

test('a transcript changes nothing', () => {
  expect(prepareCall(audioTranscribe, { file: 'a.mp3' })).toMatchObject({
    effect: 'read',
    label: 'Listening to a.mp3',
  });
});
